import type { Route } from "../../src/contract/route.ts";

/** The groups of operations, in the order in which a reader needs them. */
export const tags = [
  { name: "Payments", description: "Create, find, refund and cancel card payments." },
  {
    name: "Account",
    description: "The account of the API key, and what became of its payments.",
  },
  {
    name: "Events",
    description: "Each change of a payment is an event, stored for 30 days by default.",
  },
  {
    name: "Webhook endpoints",
    description: "Addresses to which events are sent, and the deliveries to them.",
  },
  {
    name: "Listeners",
    description:
      "Webhook endpoints without an address, whose deliveries are fetched. `payments listen` uses them.",
  },
  { name: "Requests", description: "The log of the requests that wrote, were refused or failed." },
  { name: "Webhooks", description: "What the service sends to your endpoints." },
] as const;
type Tag = (typeof tags)[number]["name"];

const tagByPath: Record<string, Tag> = {
  payments: "Payments",
  account: "Account",
  reports: "Account",
  events: "Events",
  webhook_endpoints: "Webhook endpoints",
  requests: "Requests",
};

export function findTag({ path, method, ignoresKey }: Route): Tag {
  if (method === "POST" && ignoresKey) return "Listeners";
  const tag = tagByPath[path.split("/")[2] ?? ""];
  if (!tag) throw new Error(`tags.ts has no tag for ${path}.`);
  return tag;
}
