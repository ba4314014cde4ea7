import type { Delivery } from "../../../../contract/delivery.ts";
import type { Event } from "../../../../contract/event.ts";
import { formatMoney } from "../../../../contract/money.ts";
import type { Payment } from "../../../../contract/payment.ts";
import type { WebhookEndpoint } from "../../../../contract/webhook-endpoint.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { describeResponse, renderDeliveryBadge } from "./delivery-view.ts";
import {
  amountHtml,
  renderCard,
  renderFacts,
  renderNotice,
  renderStatus,
  renderTable,
  renderTime,
  unbroken,
  wholeIdHtml,
  type Column,
} from "./elements.ts";
import type { View } from "./frame.ts";

/** An event, and how far each endpoint has been told of it; an endpoint may have been deleted since. */
export type PaymentHistoryEntry = {
  event: Event;
  deliveries: { delivery: Delivery; endpoint: WebhookEndpoint | undefined }[];
};

type Shown = {
  happened: readonly PaymentHistoryEntry[];
  /** Whoever asks has refunded it now. */
  isJustRefunded: boolean;
  /** The card network has not answered yet. */
  isRefundUnderway: boolean;
};

/** All that is known of a payment, and the way to its refund. */
export function renderPayment(
  visit: Visit,
  payment: Payment,
  { happened, isJustRefunded, isRefundUnderway }: Shown,
): View {
  const { id, status } = payment;
  const amount = formatMoney(payment.amount, payment.currency);
  const canRefund = status === "succeeded" && !isRefundUnderway && visit.may("refund");
  return {
    title: `Payment of ${amount}`,
    heading: html`Payment of ${unbroken(amount)}`,
    place: "payments",
    content: html`${isJustRefunded && renderNotice("good", `${amount} was refunded.`)}
      ${isRefundUnderway && renderNotice("waiting", "The refund is on its way: the card network has been asked, and has not answered yet.")}
      <div class="row apart">
        <div class="row">${renderStatus(status)} ${wholeIdHtml(id)}</div>
        ${canRefund && html`<a class="secondary" href="${visit.addressOf(`/payments/${id}/refund`)}">Refund…</a>`}
      </div>
      <div class="sheet">
        <h2>Details</h2>
        ${renderFacts(detailsOf(payment))}
      </div>
      ${metadataHtml(payment)}
      <div class="sheet">
        <h2>Events</h2>
        ${
          happened.length > 0
            ? html`<p class="small quiet-text">
                  With the first delivery to each webhook endpoint. What was sent again later stands
                  with the endpoint.
                </p>
                <ol class="events">
                  ${happened.map((each) => eventHtml(visit, each))}
                </ol>`
            : html`<p>None are kept any more: events are forgotten after a while.</p>`
        }
      </div>
      <p><a href="${visit.addressOf("/payments")}">All payments</a></p>`,
  };
}

function detailsOf(payment: Payment): [string, Html | string | null][] {
  const { customer, card, decline_code: code } = payment;
  return [
    ["Amount", amountHtml(payment)],
    ["Description", payment.description && html`<bdi>${payment.description}</bdi>`],
    ["Customer's name", customer.name && html`<bdi>${customer.name}</bdi>`],
    ["Customer's e-mail", customer.email && html`<bdi>${customer.email}</bdi>`],
    ["Card", card && renderCard(card)],
    ["Card expires", card && `${String(card.exp_month).padStart(2, "0")} / ${card.exp_year}`],
    ["Card's country", card && card.country],
    ["Declined", code && html`<code>${code}</code> ${payment.decline_message}`],
    ["Created", renderTime(payment.created)],
    ["Succeeded", renderTime(payment.succeeded_at)],
    ["Failed", renderTime(payment.failed_at)],
    ["Refunded", renderTime(payment.refunded_at)],
    ["Payment page", pageState(payment)],
  ];
}

/** Of a payment's page. Its address is for the customer alone: whoever has it can pay or cancel. */
function pageState({ redirect_url: address, status, card }: Payment): string | null {
  if (address === null) return null;
  return status === "pending" && !card ? "open, for the customer to pay" : "closed";
}

function metadataHtml({ metadata }: Payment): Html | false {
  const pairs = Object.entries(metadata);
  return (
    pairs.length > 0 &&
    html`<div class="sheet">
      <h2>Metadata</h2>
      <dl class="facts">
        ${pairs.map(
          ([key, value]) =>
            html`<dt><bdi>${key}</bdi></dt>
              <dd><bdi>${value}</bdi></dd>`,
        )}
      </dl>
    </div>`
  );
}

function eventHtml(visit: Visit, { event, deliveries }: PaymentHistoryEntry): Html {
  const { type, created, id } = event;
  return html`<li>
    <p class="row apart"><strong>${type}</strong> ${renderTime(created)}</p>
    <p class="small quiet-text">${wholeIdHtml(id)}</p>
    ${
      deliveries.length > 0
        ? renderTable(`What endpoints answered about ${type}`, columnsFor(visit), deliveries)
        : html`<p class="small quiet-text">No endpoint was subscribed.</p>`
    }
  </li>`;
}

type Told = PaymentHistoryEntry["deliveries"][number];

function columnsFor(visit: Visit): Column<Told>[] {
  return [
    { title: "Endpoint", cell: ({ endpoint }) => endpointHtml(visit, endpoint) },
    { title: "Delivery", cell: ({ delivery }) => renderDeliveryBadge(delivery) },
    { title: "Answer", cell: ({ delivery }) => describeResponse(delivery) },
    { title: "Attempts", isNumber: true, cell: ({ delivery }) => delivery.attempts },
    { title: "Next attempt", cell: ({ delivery }) => renderTime(delivery.next_attempt_at) },
  ];
}

/** With the way to its page, where what was sent again later stands, for those who may see it. */
function endpointHtml(visit: Visit, endpoint: WebhookEndpoint | undefined): Html {
  const name = html`<bdi class="text wide">${endpointName(endpoint)}</bdi>`;
  return endpoint && visit.may("administer")
    ? html`<a href="${visit.addressOf(`/webhooks/${endpoint.id}`)}">${name}</a>`
    : name;
}

/** Without the query of its address, where some keep a secret. */
function endpointName(endpoint: WebhookEndpoint | undefined): string {
  if (!endpoint) return "deleted since";
  if (endpoint.url === null) return endpoint.description ?? "payments listen";
  const { origin, pathname } = new URL(endpoint.url);
  return origin + pathname;
}
