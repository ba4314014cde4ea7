import { activityFields, activityIdPattern, type Activity } from "../../contract/administration.ts";
import type { Resource } from "./resource.ts";

export const activityResource: Resource<Activity> = {
  name: "audit entry",
  one: "an audit entry",
  many: "audit entries",
  idPattern: activityIdPattern,
  idForm: "act_0199…",
  shownBy: "payments activity list --json",
  fields: activityFields,
  someFields: "created,actor.name,action",
  overflow: "cut",
  columns: [
    { title: "CREATED", text: ({ created }, { past }) => past(created) },
    { title: "ACTOR", text: formatActor, minWidth: 12 },
    { title: "ACTION", text: ({ action }) => action },
    { title: "SUBJECT", text: ({ subject }) => subject.name ?? subject.id, minWidth: 12 },
    { title: "DETAIL", text: ({ detail }) => detail ?? "", minWidth: 8 },
    {
      title: "MODE",
      text: ({ livemode }) => (livemode === null ? "" : livemode ? "live" : "test"),
    },
    { title: "ID", text: ({ id }) => id },
  ],
};

function formatActor({ actor: { type, name } }: Activity): string {
  switch (type) {
    case "operator":
      return name;
    case "api_key":
      return `${name} (key)`;
    case "command":
      return `${name} (command)`;
    default:
      return type satisfies never;
  }
}
