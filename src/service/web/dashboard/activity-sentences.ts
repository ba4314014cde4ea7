import type { Activity, Actor } from "../../../contract/activity.ts";
import type { Payment } from "../../../contract/payment.ts";
import { html, type Html } from "../design/html.ts";
import { renderAmount } from "./elements.ts";
import { toWords } from "./value-words.ts";
import type { Visit } from "./visit.ts";

/** The names of what audit entries name by an id, for their sentences. */
export type Named = {
  /** The endpoints and operators that exist, by id, with their addresses or names: only they have a page. */
  existing: ReadonlyMap<string, string | null>;
  /** The payments of the entries, by id. */
  payments: ReadonlyMap<string, Payment>;
};

/** An audit entry as a sentence: people, amounts and names, with links to what has a page. */
export function renderSentence(visit: Visit, activity: Activity, named: Named): Html {
  return html`${renderActor(activity.actor)}
  ${renderAction(visit, activity, named)}${activity.actor.type === "command" && " from the command line"}`;
}

function renderActor({ type, name }: Actor): Html {
  return html`${type === "api_key" && "Key "}<strong>${renderName(name)}</strong>`;
}

/** A name or an address, which the log cuts off where it is long. */
function renderName(name: string): Html {
  return html`<bdi title="${name}">${name}</bdi>`;
}

/** The rest of the sentence that begins with the actor. */
function renderAction(visit: Visit, activity: Activity, { existing, payments }: Named): Html {
  const { action, livemode, subject, detail } = activity;
  const mode = livemode === null ? visit.mode : livemode ? "live" : "test";
  const link = (path: string, text: Html) =>
    html`<a href="${visit.addressOf(path, { mode })}">${text}</a>`;
  const linkIfExisting = (path: string, id: string, text: Html) =>
    existing.has(id) ? link(`${path}/${id}`, text) : text;

  const name = renderName(subject.name ?? "");
  const key = link("/keys", name);
  const operator = linkIfExisting("/team", subject.id, name);
  const endpoint =
    subject.name === null
      ? linkIfExisting("/webhooks", subject.id, html`listener`)
      : html`endpoint ${linkIfExisting("/webhooks", subject.id, name)}`;
  const target =
    detail === null
      ? "all endpoints"
      : html`the endpoint
        ${linkIfExisting("/webhooks", detail, renderName(existing.get(detail) ?? "that was deleted"))}`;
  const payment = payments.get(subject.id);
  const customer = payment && (payment.customer.email || payment.customer.name);
  const amount = link(`/payments/${subject.id}`, payment ? renderAmount(payment) : html`a payment`);
  const to = customer && html`to ${renderName(customer)}`;
  const sentences: Record<typeof action, Html> = {
    "account.created": html`created the account ${name}`,
    "account.renamed": html`renamed the account to ${name}`,
    "api_key.created": html`created a ${mode} key ${key}`,
    "api_key.rolled": html`rolled the ${mode} key ${key}`,
    "api_key.revoked": html`revoked the ${mode} key ${key}`,
    "payment.refunded": html`refunded ${amount} ${to}`,
    "payment.refund_requested": html`requested the refund of ${amount} ${to}`,
    "payment.canceled": html`canceled ${payment && "a payment of"} ${amount}
    ${customer && html`from ${renderName(customer)}`}`,
    "webhook_endpoint.created": html`created the ${endpoint}`,
    "webhook_endpoint.updated": html`changed the ${endpoint}`,
    "webhook_endpoint.enabled": html`enabled the ${endpoint}`,
    "webhook_endpoint.disabled": html`disabled the ${endpoint}`,
    "webhook_endpoint.rolled": html`rolled the signing secret of the ${endpoint}`,
    "webhook_endpoint.deleted": html`deleted the ${endpoint}`,
    "webhook_endpoint.tested": html`sent a test event to the ${endpoint}`,
    "webhook_endpoint.recovered": html`resent ${detail} missed
    ${detail === "1" ? "event" : "events"} to the ${endpoint}`,
    "event.resent": html`resent an event to ${target}`,
    "operator.invited": html`invited ${operator} ${detail && `as ${toWords(detail)}`}`,
    "operator.role_changed": html`changed the role of ${operator} to ${toWords(detail ?? "")}`,
    "operator.removed": html`removed ${operator}`,
    "operator.signed_in": html`signed in`,
    "operator.signed_out_everywhere": html`signed out everywhere`,
  };
  return sentences[action];
}
