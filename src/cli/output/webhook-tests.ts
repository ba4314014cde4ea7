import type { Recovery, WebhookTest } from "../../contract/delivery.ts";
import { eventIdPattern } from "../../contract/field-values.ts";
import type { Resource } from "./resource.ts";
import { escapeControls } from "../../runtime/text.ts";

// The results of tests and recoveries of webhook endpoints: they have no id of their own, and no list.

const unlisted = { many: "", idPattern: eventIdPattern, idForm: "", shownBy: "", columns: [] };

export const testResource: Resource<WebhookTest> = {
  ...unlisted,
  name: "test",
  one: "a test",
  fields: [
    "object",
    "event",
    "status",
    "duration_ms",
    "error",
    "answer",
  ] satisfies (keyof WebhookTest)[],
  someFields: "status,duration_ms",
};

export const recoveryResource: Resource<Recovery> = {
  ...unlisted,
  name: "recovery",
  one: "a recovery",
  fields: ["object", "queued", "has_more"] satisfies (keyof Recovery)[],
  someFields: "queued",
};

/** The reason why a test was no success, in a sentence; undefined where it was one. */
export function describeTestFailure({ status, error }: WebhookTest): string | undefined {
  if (status !== null && status >= 200 && status < 300) return undefined;
  return `The test was not accepted: ${escapeControls(error ?? `the endpoint answered ${status}`)}.`;
}
