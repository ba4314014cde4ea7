import type { FastifyInstance } from "fastify";
import type { Delivery } from "../../../contract/delivery.ts";
import type { Event } from "../../../contract/event.ts";
import { maxPageSize } from "../../../contract/routes.ts";
import type { LoggedRequest } from "../../../contract/logged-request.ts";
import type { Payment } from "../../../contract/payment.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import type { Scope } from "../../ports/idempotency-record.ts";
import type { Listed } from "../../domain/list-range.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import {
  describeResponse,
  formatAmount,
  renderDeliveryBadge,
  renderId,
  renderNotice,
  renderOneLine,
  renderStatus,
  renderTime,
  renderCopy,
} from "./elements.ts";
import {
  createNumberColumn,
  renderTable,
  createTimeColumn,
  type Column,
} from "./table-elements.ts";
import { getDeliveryAddress } from "./endpoint-elements.ts";
import { sendView, type View } from "./frame.ts";
import { renderDetails } from "./payment-details.ts";
import { toWords } from "./value-words.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";
import { buildRequestColumns } from "./request-details-page.ts";
import { toPaymentsRequests } from "./request-filters.ts";
import { canCancel, justCanceled } from "./cancel-payment-page.ts";
import { isRefundInProgress, justRefunded } from "./refund-page.ts";

/** A payment, its events, and the responses of webhook endpoints. */
export function registerPaymentDetailsPage(app: FastifyInstance, service: Service): void {
  app.get(
    `${accountPath}/payments/:id`,
    { config: { needs: "look" } },
    async (request: WithId, reply) => {
      const { visit, url } = request;
      const json = await service.getPayment(visit.scope, request.params.id);
      const payment = JSON.parse(json) as Payment;
      const [history, requests, isRefunding, isCancelable, atBankSinceMs] = await Promise.all([
        listHistory(service, visit.scope, payment),
        listNewestRequests(service, visit, payment),
        isRefundInProgress(service, visit, payment),
        canCancel(service, visit, payment),
        service.findChallengeStart(visit.scope, json),
      ]);
      const justDone = new URLSearchParams(url.split("?", 2)[1]).get("just");
      const details = { history, requests, justDone, isRefunding, isCancelable, atBankSinceMs };
      return sendView(reply, renderPayment(visit, payment, details));
    },
  );
}

/** The newest requests that made or named a payment; none for operators who may not see them. */
async function listNewestRequests(service: Service, visit: Visit, { id }: Payment) {
  if (!visit.may("inspect")) return { items: [], hasMore: false };
  return await service.listRequests(visit.scope, { payment: id, limit: shownRequests });
}

const shownRequests = 10;

/** An event, and its first delivery to each endpoint; an endpoint may have been deleted since. */
export type PaymentHistoryEntry = {
  event: Event;
  deliveries: { delivery: Delivery; endpoint: WebhookEndpoint | undefined }[];
};

/** Oldest first. */
async function listHistory(
  service: Service,
  scope: Scope,
  { id }: Payment,
): Promise<PaymentHistoryEntry[]> {
  const [listed, endpoints] = await Promise.all([
    service.listEvents(scope, { payment: id, limit: maxPageSize }),
    service.listEndpoints(scope, { limit: maxPageSize }),
  ]);
  const events = listed.items.map((item) => JSON.parse(item) as Event).toReversed();
  return await Promise.all(
    events.map(async (event) => ({
      event,
      deliveries: (await service.listEventDeliveries(scope, event.id)).map((each) => ({
        delivery: each.delivery,
        endpoint: endpoints.items.find((endpoint) => endpoint.id === each.endpointId),
      })),
    })),
  );
}

type Details = {
  history: readonly PaymentHistoryEntry[];
  requests: Listed<LoggedRequest>;
  /** What the operator has just done, by the query of the address. */
  justDone: string | null;
  /** The card network has not answered yet. */
  isRefunding: boolean;
  isCancelable: boolean;
  /** When the bank began to ask the customer, in Unix milliseconds; null while it does not. */
  atBankSinceMs: number | null;
};

export function renderPayment(visit: Visit, payment: Payment, details: Details): View {
  const { id, status } = payment;
  const { history, isRefunding, atBankSinceMs } = details;
  const atBankSince = renderTime(atBankSinceMs === null ? null : Math.floor(atBankSinceMs / 1000));
  const amount = formatAmount(payment);
  const button = (path: string, text: string) =>
    html`<a class="secondary" href="${visit.addressOf(`/payments/${id}/${path}`)}">${text}</a>`;
  const canRefund = status === "succeeded" && !isRefunding && visit.may("refund");
  return {
    title: `Payment of ${amount}`,
    heading: html`Payment of ${renderOneLine(amount)}`,
    section: "payments",
    content: html`${renderJustDone(payment, details.justDone)}
      ${isRefunding && renderNotice("waiting", "The refund is in progress: the card network has not responded yet.")}
      <div class="row apart">
        <div class="row">${renderStatus(status)} ${renderId(id)} ${renderCopy(id)}</div>
        <div class="row">
          ${canRefund && button("refund", "Refund…")}
          ${details.isCancelable && visit.may("refund") && button("cancel", "Cancel…")}
        </div>
      </div>
      <div class="columns">
        <div>
          ${renderHistory(visit, history, atBankSince)}
          ${renderRequests(visit, id, details.requests)}
        </div>
        <div>${renderDetails(visit, payment, atBankSince)}</div>
      </div>
      <p><a href="${visit.addressOf("/payments")}">All payments</a></p>`,
  };
}

function renderHistory(
  visit: Visit,
  history: readonly PaymentHistoryEntry[],
  atBankSince: Html | null,
): Html {
  return html`<section class="sheet" aria-labelledby="history">
    <h2 id="history">History</h2>
    ${
      history.length > 0
        ? html`<ol class="events">
              ${history.map((each) => renderEvent(visit, each))}
              ${atBankSince && renderAtBank(atBankSince)}
            </ol>
            <p class="small quiet-text">
              With the first delivery to each webhook endpoint. Retries are listed with the
              endpoint.
            </p>`
        : html`<p>No events are stored: they are deleted after a while.</p>`
    }
  </section>`;
}

function renderRequests(visit: Visit, id: string, { items, hasMore }: Details["requests"]) {
  return (
    items.length > 0 &&
    html`<div class="sheet">
      <h2>Requests</h2>
      ${renderTable("Requests of this payment", buildRequestColumns(visit), items)}
      ${hasMore && html`<p><a href="${toPaymentsRequests(visit, id)}">All requests of this payment</a></p>`}
    </div>`
  );
}

/** Only what is true by now: the address may be an old one. */
function renderJustDone(
  { status, decline_code: code, ...payment }: Payment,
  justDone: string | null,
): Html | false {
  if (status === "refunded" && justDone === justRefunded) {
    return renderNotice("good", `${formatAmount(payment)} was refunded.`);
  }
  return (
    code === "canceled" &&
    justDone === justCanceled &&
    renderNotice("good", "The payment was canceled.")
  );
}

function renderEvent(visit: Visit, { event, deliveries }: PaymentHistoryEntry): Html {
  const { type, created, id } = event;
  return html`<li>
    <p class="row apart">
      <strong>${toWords(type.replace("payment.", ""))}</strong> ${renderTime(created)}
    </p>
    <p class="small quiet-text">${type} ${renderId(id)}</p>
    ${
      deliveries.length > 0
        ? renderTable(`Deliveries of ${type}`, buildColumns(visit), deliveries)
        : html`<p class="small quiet-text">No endpoint was subscribed.</p>`
    }
  </li>`;
}

/** The last entry, while it lasts: no event says so. The bank's address is for the customer alone. */
function renderAtBank(since: Html): Html {
  return html`<li>
    <p class="row apart"><strong>At the bank since</strong> ${since}</p>
    <p class="small quiet-text">The bank asks the customer to confirm the payment.</p>
  </li>`;
}

function buildColumns(visit: Visit): Column<PaymentHistoryEntry["deliveries"][number]>[] {
  return [
    { title: "Endpoint", isText: true, cell: ({ endpoint }) => renderEndpoint(visit, endpoint) },
    { title: "Delivery", cell: (entry) => renderDeliveryState(visit, entry) },
    { title: "Response", isText: true, cell: ({ delivery }) => describeResponse(delivery) },
    createNumberColumn("Attempts", ({ delivery }) => delivery.attempts),
    createTimeColumn("Next attempt", ({ delivery }) => delivery.next_attempt_at, null, {
      from: "medium",
    }),
  ];
}

/** A link to the delivery's page, for operators who may see it, while its endpoint exists. */
function renderDeliveryState(
  visit: Visit,
  { delivery, endpoint }: PaymentHistoryEntry["deliveries"][number],
): Html {
  const badge = renderDeliveryBadge(delivery);
  return endpoint && visit.may("administer")
    ? html`<a href="${getDeliveryAddress(visit, endpoint.id, delivery.id)}">${badge}</a>`
    : badge;
}

/** A link to the endpoint's page, for operators who may see it. */
function renderEndpoint(visit: Visit, endpoint: WebhookEndpoint | undefined): Html {
  const name = html`<bdi class="text">${describeEndpoint(endpoint)}</bdi>`;
  return endpoint && visit.may("administer")
    ? html`<a href="${visit.addressOf(`/webhooks/${endpoint.id}`)}">${name}</a>`
    : name;
}

/** Without the query of its address, which may hold a secret. */
function describeEndpoint(endpoint: WebhookEndpoint | undefined): string {
  if (!endpoint) return "Deleted endpoint";
  if (endpoint.url === null) return endpoint.description ?? "payments listen";
  const { origin, pathname } = new URL(endpoint.url);
  return origin + pathname;
}
