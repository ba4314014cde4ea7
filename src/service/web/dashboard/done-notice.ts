import type { FastifyRequest } from "fastify";
import type { Action, Activity } from "../../../contract/activity.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import { renderNotice } from "./elements.ts";
import type { View } from "./frame.ts";
import { readQuery } from "./list-page.ts";
import { toWords } from "./value-words.ts";
import type { Visit } from "./visit.ts";

/** What the page after an action says, by the audit entry of the action. */
const sentences = {
  "account.renamed": ({ name }) => html`The account is named ${name} now.`,
  "api_key.revoked": ({ name }) => html`Key ${name} was revoked.`,
  "operator.role_changed": ({ name, detail }) => html`The role of ${name} is ${detail} now.`,
  "operator.removed": ({ name }) => html`${name} was removed from this account.`,
  "webhook_endpoint.enabled": () => html`The endpoint was enabled: events are sent to it again.`,
  "webhook_endpoint.disabled": () => html`The endpoint was disabled: nothing is sent to it.`,
  "webhook_endpoint.deleted": ({ name }) =>
    name ? html`The endpoint ${name} was deleted.` : html`The listener was deleted.`,
  "event.resent": () => html`The event was queued, and will be sent again at once.`,
} as const satisfies {
  [Each in Action]?: (named: { name: Html | "" | null; detail: string }) => Html;
};

type DoneAction = keyof typeof sentences;

/** How long after an action its page says so: the address may be reloaded, or sent to others. */
const shownMs = 5 * 60 * 1000;
/** Others act at the same time. */
const newestEntries = 10;

/** The address of the page after an action on a thing, such as a key, by its id. */
export function toAddressAfter(address: string, action: DoneAction, id: string): string {
  return `${address}?${new URLSearchParams({ just: action, id }).toString()}`;
}

/** A page that begins with what its operator has just done, as the audit log has it. */
export async function addDoneNotice(
  service: Service,
  { visit, url }: FastifyRequest,
  view: View,
): Promise<View> {
  const query = readQuery(url);
  const action = query.get("just");
  if (action === null || !isDoneAction(action)) return view;
  const entry = await findEntry(service, visit, { action, id: query.get("id") });
  if (!entry) return view;
  const name = entry.subject.name && html`<bdi>${entry.subject.name}</bdi>`;
  const text = sentences[action]({ name, detail: toWords(entry.detail ?? "") });
  return { ...view, content: html`${renderNotice("good", text)} ${view.content}` };
}

function isDoneAction(action: string): action is DoneAction {
  return Object.hasOwn(sentences, action);
}

/** The audit entry of what the operator has done a moment ago. */
async function findEntry(
  service: Service,
  { account, actor }: Visit,
  done: { action: DoneAction; id: string | null },
): Promise<Activity | undefined> {
  const { items } = await service.listActivity(account.id, { limit: newestEntries });
  return items.find(
    (entry) =>
      entry.action === done.action &&
      entry.subject.id === done.id &&
      entry.actor.id === actor.id &&
      service.now() - entry.created * 1000 < shownMs,
  );
}
