import type { FastifyInstance } from "fastify";
import type { Actor } from "../../../contract/activity.ts";
import type { LoggedRequest } from "../../../contract/logged-request.ts";
import type { Payment } from "../../../contract/payment.ts";
import type { Listed } from "../../domain/list-range.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import {
  formatAmount,
  renderCopyableId,
  renderNotice,
  renderOneLine,
  renderStatus,
  renderTime,
} from "./elements.ts";
import { renderTable } from "./table-elements.ts";
import { sendView, type View } from "./frame.ts";
import { renderDetails } from "./payment-details.ts";
import {
  findActor,
  listHistory,
  renderHistory,
  type PaymentHistoryEntry,
} from "./payment-history.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";
import { buildRequestColumns } from "./request-columns.ts";
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
      const [history, actor, requests, isRefunding, isCancelable, atBankSinceMs] =
        await Promise.all([
          listHistory(service, visit, payment),
          findActor(service, visit, payment),
          listNewestRequests(service, visit, payment),
          isRefundInProgress(service, visit, payment),
          canCancel(service, visit, payment),
          service.findChallengeStart(visit.scope, json),
        ]);
      const justDone = new URLSearchParams(url.split("?", 2)[1]).get("just");
      const details = {
        history,
        actor,
        requests,
        justDone,
        isRefunding,
        isCancelable,
        atBankSinceMs,
      };
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

type Details = {
  history: readonly PaymentHistoryEntry[];
  actor: Actor | undefined;
  requests: Listed<LoggedRequest>;
  /** What the operator has just done, by the query of the address. */
  justDone: string | null;
  /** The card network has not responded yet. */
  isRefunding: boolean;
  isCancelable: boolean;
  /** When the bank began to ask the customer, in Unix milliseconds; null while it does not. */
  atBankSinceMs: number | null;
};

export function renderPayment(visit: Visit, payment: Payment, details: Details): View {
  const { id, status, customer, description } = payment;
  const { history, isRefunding, atBankSinceMs, actor } = details;
  const atBankSince = renderTime(atBankSinceMs === null ? null : Math.floor(atBankSinceMs / 1000));
  const amount = formatAmount(payment);
  const customerName = customer.name || customer.email;
  const button = (path: string, text: string) =>
    html`<a class="secondary" href="${visit.addressOf(`/payments/${id}/${path}`)}">${text}</a>`;
  const canRefund = status === "succeeded" && !isRefunding && visit.may("refund");
  const canBeCanceled = details.isCancelable && visit.may("refund");
  return {
    title: `Payment of ${amount}`,
    heading: html`<span class="visually-hidden">Payment of </span
      ><span class="huge">${renderOneLine(amount)}</span> ${renderStatus(status)}`,
    section: "payments",
    back: { address: visit.addressOf("/payments"), text: "All payments" },
    actions:
      (canRefund || canBeCanceled) &&
      html`${canRefund && button("refund", "Refund…")}
      ${canBeCanceled && button("cancel", "Cancel…")}`,
    content: html`<div class="parts under-head">
        ${customerName && html`<bdi class="clamped" title="${customerName}">${customerName}</bdi>`}
        ${renderTime(payment.created)}
        ${description && html`<bdi class="clamped" title="${description}">${description}</bdi>`}
        ${renderCopyableId(id)}
      </div>
      ${renderJustDone(payment, details.justDone)}
      ${isRefunding && renderNotice("waiting", "The refund is in progress: the card network has not responded yet.")}
      <div class="columns">
        <div>
          ${renderHistory(visit, { payment, history, actor, atBankSince })}
          ${renderRequests(visit, id, details.requests)}
        </div>
        <div>${renderDetails(visit, payment, atBankSince)}</div>
      </div>`,
  };
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
