import type { FastifyInstance } from "fastify";
import { ServiceError, statusByCode } from "../../../contract/error.ts";
import { maxPageSize } from "../../../contract/field-values.ts";
import type { History } from "../../../contract/history.ts";
import type { LoggedRequest } from "../../../contract/logged-request.ts";
import type { Payment } from "../../../contract/payment.ts";
import { canCancelPayment, cancelPayment } from "../../checkout/cancel-payment.ts";
import type { Listed } from "../../database/listing.ts";
import { getHistory } from "../../history/get-history.ts";
import { findChallengeStart, getPayment } from "../../payments/get-payment.ts";
import { listRequests } from "../../requests/list-requests.ts";
import type { Service } from "../../service.ts";
import { listEndpoints } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import {
  formatAmount,
  renderAmount,
  renderCard,
  renderCopyableId,
  renderFacts,
  renderId,
  renderNotice,
  renderOneLine,
  renderStatus,
  renderTime,
  type Facts,
} from "./elements.ts";
import { registerConfirmation, type Confirmation } from "./forms.ts";
import { sendView, type View } from "./frame.ts";
import { renderTable } from "./list-elements.ts";
import { toFilteredAddress, type Filter } from "./list-filters.ts";
import { paymentList, readPaymentFilter } from "./payment-filters.ts";
import { renderHistory } from "./payment-history.ts";
import { showsRefundInProgress, justRefunded } from "./refund-page.ts";
import { buildRequestColumns, toPaymentsRequests } from "./requests-page.ts";
import { describeCountry, toWords } from "./value-words.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

/** A payment, and what happened to it. */
export function registerPaymentDetailsPage(app: FastifyInstance, service: Service): void {
  app.get(
    `${accountPath}/payments/:id`,
    { config: { needs: "look" } },
    async (request: WithId, reply) => {
      const { visit, url } = request;
      const json = await getPayment(service, visit.scope, request.params.id);
      const payment = JSON.parse(json) as Payment;
      const [history, endpoints, requests, isRefunding, isCancelable, atBankSinceMs] =
        await Promise.all([
          getHistory(service, visit.scope, payment.id),
          listEndpointIds(service, visit),
          listNewestRequests(service, visit, payment),
          showsRefundInProgress(service, visit, payment),
          canCancel(service, visit, payment),
          findChallengeStart(service, visit.scope, json),
        ]);
      const justDone = new URLSearchParams(url.split("?", 2)[1]).get("just");
      const details = {
        history,
        endpoints,
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
  return await listRequests(service, visit.scope, { payment: id, limit: shownRequests });
}

/** The endpoints and listeners that exist, for operators who may see them. */
async function listEndpointIds(service: Service, { scope, may }: Visit) {
  if (!may("administer")) return new Set<string>();
  const { items } = await listEndpoints(service, scope, { limit: maxPageSize });
  return new Set(items.map(({ id }) => id));
}

const shownRequests = 10;

type Details = {
  history: History;
  endpoints: ReadonlySet<string>;
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
  const { history, endpoints, isRefunding, atBankSinceMs } = details;
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
          ${renderHistory(visit, history, endpoints)} ${renderRequests(visit, id, details.requests)}
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

/** Every field of a payment, and its metadata. */
function renderDetails(visit: Visit, payment: Payment, atBankSince: Html | null): Html {
  const metadata = Object.entries(payment.metadata).map(([key, value]) => {
    const text = value === "" ? "(empty)" : html`<bdi>${value}</bdi>`;
    const filter = readPaymentFilter(`metadata[${key}]`, value);
    return [html`<bdi>${key}</bdi>`, renderSharedLink(visit, filter, text)] as const;
  });
  return html`<section class="sheet" aria-labelledby="details">
      <h2 id="details">Details</h2>
      ${renderFacts(listFacts(visit, payment, atBankSince))}
    </section>
    ${
      metadata.length > 0 &&
      html`<section class="sheet" aria-labelledby="metadata">
        <h2 id="metadata">Metadata</h2>
        ${renderFacts(metadata)}
      </section>`
    }`;
}

function listFacts(visit: Visit, payment: Payment, atBankSince: Html | null): Facts {
  const { customer, card, decline_code: code, redirect_url: pageAddress } = payment;
  return [
    ["Amount", renderAmount(payment)],
    ["Description", payment.description && html`<bdi>${payment.description}</bdi>`],
    ["Customer name", customer.name && html`<bdi>${customer.name}</bdi>`],
    [
      "Customer email",
      customer.email &&
        renderSharedLink(
          visit,
          readPaymentFilter("email", customer.email),
          html`<bdi>${customer.email}</bdi>`,
        ),
    ],
    [
      "Card",
      card && renderSharedLink(visit, readPaymentFilter("last4", card.last4), renderCard(card)),
    ],
    ["Card expires", card && `${String(card.exp_month).padStart(2, "0")}/${card.exp_year}`],
    ["Card country", card && describeCountry(card.country)],
    [
      "Declined",
      code && html`${payment.decline_message} <code class="small quiet-text">${code}</code>`,
    ],
    ["Created", renderTime(payment.created)],
    ["At the bank since", atBankSince],
    ["Succeeded", renderTime(payment.succeeded_at)],
    ["Failed", renderTime(payment.failed_at)],
    ["Refunded", renderTime(payment.refunded_at)],
    ["Payment page", pageAddress && describePage(payment, atBankSince !== null)],
  ];
}

function describePage({ status, card }: Payment, isAtBank: boolean): string {
  if (status !== "pending") return "Closed.";
  if (card && !isAtBank) return "Closed, while the bank has not answered yet.";
  const purpose = isAtBank ? "to continue at the bank" : "to pay";
  return `Open, for the customer ${purpose}. Its link is withheld, because anyone who has it could pay or cancel.`;
}

/** A text that leads to the payments that share a value of this one; as it is where they cannot be searched for. */
function renderSharedLink(visit: Visit, filter: Filter, text: Html | string): Html {
  if (filter.mistake !== undefined) return html`${text}`;
  const { path, define } = paymentList;
  const title = `Payments with the same: ${define(filter.name).label}`;
  return html`<a href="${toFilteredAddress(visit, path, [filter])}" title="${title}">${text}</a>`;
}

/** The parameter `just` of a payment's page after it was canceled. */
const justCanceled = "canceled";

async function canCancel(
  service: Service,
  { scope }: Visit,
  { id, status, redirect_url: page }: Payment,
): Promise<boolean> {
  return status === "pending" && page !== null && (await canCancelPayment(service, scope, id));
}

type Found = { payment: Payment; isCancelable: boolean };

/** The confirmation of canceling a payment whose page is open, and its form. */
export function registerCancelPaymentPage(app: FastifyInstance, service: Service): void {
  const find = async (visit: Visit, id: string): Promise<Found> => {
    const payment = JSON.parse(await getPayment(service, visit.scope, id)) as Payment;
    return { payment, isCancelable: await canCancel(service, visit, payment) };
  };

  registerConfirmation(app, `${accountPath}/payments/:id/cancel`, {
    needs: "refund",
    find,
    view: describeCancellation,
    run: async (visit, { payment: { id } }) => {
      const done = `${visit.addressOf(`/payments/${id}`)}?just=${justCanceled}`;
      try {
        await cancelPayment(service, visit.scope, id, undefined, visit.actor);
        return done;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "payment_not_cancelable")
          throw error;
        // A double click, or another operator, came first.
        const { payment } = await find(visit, id);
        if (payment.decline_code === "canceled") return done;
        const problem = "The payment was not canceled: its page is no longer open.";
        return { problem, status: statusByCode.payment_not_cancelable };
      }
    },
  });
}

export function describeCancellation(visit: Visit, { payment, isCancelable }: Found): Confirmation {
  const { id, customer, status, card } = payment;
  const customerName = customer.name || customer.email;
  const address = visit.addressOf(`/payments/${id}`);
  return {
    title: isCancelable ? "Cancel this payment?" : "Nothing to cancel",
    section: "payments",
    facts: [
      ["Amount", renderAmount(payment)],
      ["Customer", customerName && html`<bdi>${customerName}</bdi>`],
      ["Payment", renderId(id)],
    ],
    text: isCancelable
      ? "The customer can no longer pay: the payment page says that the payment was canceled. If the card was already charged, the amount is returned. This cannot be undone."
      : status === "pending" && card
        ? "The bank has not answered yet, so this payment cannot be canceled now. If it succeeds, it can be refunded."
        : `This payment is “${toWords(status)}”. Only a pending one whose page is open can be canceled.`,
    action: `${address}/cancel`,
    ...(isCancelable && { button: "Cancel payment", cancel: "Keep payment", isDangerous: true }),
    back: { address, text: "Payment" },
  };
}
