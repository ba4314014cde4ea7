import type { Actor } from "../../../contract/administration.ts";
import type { Delivery } from "../../../contract/delivery.ts";
import type { Event } from "../../../contract/event.ts";
import { maxPageSize } from "../../../contract/field-values.ts";
import type { Payment, PaymentStatus } from "../../../contract/payment.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import { listActivity } from "../../accounts/accounts-service.ts";
import type { Service } from "../../service.ts";
import { listEventDeliveries } from "../../webhooks/deliveries.ts";
import { listEvents } from "../../webhooks/event-log.ts";
import { listEndpoints } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import {
  describeResponse,
  paymentTones,
  renderDeliveryBadge,
  renderId,
  renderTime,
} from "./elements.ts";
import { getDeliveryAddress, getEndpointAddress } from "./endpoint-elements.ts";
import { toWords } from "./value-words.ts";
import type { Visit } from "./visit.ts";

/** An event, and its first delivery to each endpoint; an endpoint may have been deleted since. */
export type PaymentHistoryEntry = {
  event: Event;
  deliveries: FirstDelivery[];
};
type FirstDelivery = { delivery: Delivery; endpoint: WebhookEndpoint | undefined };

/** Oldest first. */
export async function listHistory(
  service: Service,
  { scope }: Visit,
  { id }: Payment,
): Promise<PaymentHistoryEntry[]> {
  const [listed, endpoints] = await Promise.all([
    listEvents(service, scope, { payment: id, limit: maxPageSize }),
    listEndpoints(service, scope, { limit: maxPageSize }),
  ]);
  const events = listed.items.map((item) => JSON.parse(item) as Event).toReversed();
  return await Promise.all(
    events.map(async (event) => ({
      event,
      deliveries: (await listEventDeliveries(service, scope, event.id)).map((each) => ({
        delivery: each.delivery,
        endpoint: endpoints.items.find((endpoint) => endpoint.id === each.endpointId),
      })),
    })),
  );
}

/**
 * The operator or key that refunded or canceled the payment, for operators who may see the audit log. A refund that a
 * card network answered later was requested before; nobody is named then.
 */
export async function findActor(
  service: Service,
  visit: Visit,
  { id, refunded_at: refundedAt, failed_at: failedAt, decline_code: code }: Payment,
): Promise<Actor | undefined> {
  const at = refundedAt ?? (code === "canceled" ? failedAt : null);
  if (at === null || !visit.may("administer")) return undefined;
  const action = refundedAt === null ? "payment.canceled" : "payment.refunded";
  const range = { "created[gte]": at, "created[lt]": at + 1 };
  const { items } = await listActivity(service, visit.account.id, {
    ...range,
    action,
    limit: maxPageSize,
  });
  return items.find(({ subject }) => subject.id === id)?.actor;
}

type History = {
  payment: Payment;
  history: readonly PaymentHistoryEntry[];
  /** The author of the last change, if the payment was refunded or canceled. */
  actor: Actor | undefined;
  atBankSince: Html | null;
};

/** The history of a payment, oldest first. */
export function renderHistory(visit: Visit, story: History): Html {
  const { payment, history, atBankSince } = story;
  return html`<section class="sheet" aria-labelledby="history">
    <h2 id="history">History</h2>
    <ol class="timeline">
      ${history.length > 0 ? renderEvents(visit, story) : renderChanges(payment)}
      ${payment.status === "pending" && payment.card && renderBank(atBankSince)}
    </ol>
    <p class="small quiet-text">
      ${
        history.length > 0
          ? "Deliveries that were sent again by hand are listed on the endpoint's page."
          : "No events are stored: they are deleted after a while."
      }
    </p>
  </section>`;
}

type Moment = { title: string; tone: string; at: number | null; more?: Html };

function renderMoment({ title, tone, at, more }: Moment): Html {
  return html`<li class="${tone}">
    <p class="row apart"><strong>${title}</strong> ${renderTime(at)}</p>
    ${more}
  </li>`;
}

/** A payment that was created as it is had no event for its creation. */
function renderEvents(visit: Visit, { payment, history, actor }: History): Html[] {
  const isFirst = history[0]?.event.type === "payment.pending";
  const created = { title: "Created", tone: "plain", at: payment.created };
  const moments = history.map((entry, index) => {
    const { type, created: at, id } = entry.event;
    const status = type.replace("payment.", "") as PaymentStatus;
    const isLast = index === history.length - 1;
    const isCanceled = status === "failed" && payment.decline_code === "canceled";
    return renderMoment({
      title: index === 0 && isFirst ? "Created" : toWords(isCanceled ? "canceled" : status),
      tone: paymentTones[status],
      at,
      more: html`${isLast && actor && renderActor(actor)}
        <p class="small quiet-text parts"><span>${type}</span> ${renderId(id)}</p>
        ${renderDeliveries(visit, entry.deliveries)}`,
    });
  });
  return isFirst ? moments : [renderMoment(created), ...moments];
}

function renderActor({ type, name }: Actor): Html {
  const who = html`<bdi>${name}</bdi>`;
  return html`<p>
    ${type === "api_key" ? html`By the key ${who}` : type === "command" ? html`By ${who} from the command line` : html`By ${who}`}
  </p>`;
}

/** The times that a payment itself has. */
function renderChanges({ created, ...payment }: Payment): Html[] {
  const changes = [
    ["succeeded", payment.succeeded_at],
    ["failed", payment.failed_at],
    ["refunded", payment.refunded_at],
  ] as const;
  return [
    renderMoment({ title: "Created", tone: "plain", at: created }),
    ...changes
      .filter(([, at]) => at !== null)
      .map(([status, at]) =>
        renderMoment({ title: toWords(status), tone: paymentTones[status], at }),
      ),
  ];
}

/** The last entry, while it lasts: no event says so. The bank's address is for the customer alone. */
function renderBank(atBankSince: Html | null): Html {
  return html`<li class="waiting">
    <p class="row apart">
      <strong>${atBankSince ? "At the bank" : "Sent to the bank"}</strong> ${atBankSince}
    </p>
    <p class="small quiet-text">
      ${atBankSince ? "The bank asks the customer to confirm the payment." : "The bank has not answered yet."}
    </p>
  </li>`;
}

function renderDeliveries(visit: Visit, deliveries: readonly FirstDelivery[]): Html {
  return deliveries.length > 0
    ? html`<ul class="deliveries" aria-label="Deliveries">
        ${deliveries.map((each) => renderDelivery(visit, each))}
      </ul>`
    : html`<p class="small quiet-text">No endpoint was subscribed.</p>`;
}

/** With links to the delivery and the endpoint, for operators who may see them, while the endpoint exists. */
function renderDelivery(visit: Visit, { delivery, endpoint }: FirstDelivery): Html {
  const { attempts, next_attempt_at: next } = delivery;
  const badge = renderDeliveryBadge(delivery);
  const name = describeEndpoint(endpoint);
  const shownName = html`<bdi class="text" title="${name}">${name}</bdi>`;
  const response = describeResponse(delivery);
  const isLinked = endpoint && visit.may("administer");
  return html`<li>
    <p class="row delivery">
      ${isLinked ? html`<a href="${getEndpointAddress(visit, endpoint.id)}">${shownName}</a>` : shownName}
      ${isLinked ? html`<a href="${getDeliveryAddress(visit, endpoint.id, delivery.id)}">${badge}</a>` : badge}
    </p>
    <p class="small quiet-text parts">
      <bdi class="two-lines" title="${response}">${response}</bdi>
      <span>${attempts === 1 ? "1 attempt" : `${attempts} attempts`}</span>
      ${next !== null && html`<span>Next attempt ${renderTime(next)}</span>`}
    </p>
  </li>`;
}

/** Without the query of its address, which may hold a secret. */
function describeEndpoint(endpoint: WebhookEndpoint | undefined): string {
  if (!endpoint) return "Deleted endpoint";
  if (endpoint.url === null) return endpoint.description ?? "payments listen";
  const { origin, pathname, search } = new URL(endpoint.url);
  return `${origin}${pathname}${search && "?…"}`;
}
