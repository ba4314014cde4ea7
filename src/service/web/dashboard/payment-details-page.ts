import type { FastifyInstance } from "fastify";
import { ServiceError, statusByCode } from "../../../contract/error.ts";
import { maxPageSize } from "../../../contract/field-values.ts";
import {
  type DueMoment,
  type History,
  type Moment,
  maxMoments,
} from "../../../contract/history.ts";
import type { LoggedRequest } from "../../../contract/logged-request.ts";
import type { Payment } from "../../../contract/payment.ts";
import { canCancelPayment, cancelPayment } from "../../checkout/cancel-payment.ts";
import type { Listed } from "../../database/listing.ts";
import { getHistory } from "../../history/get-history.ts";
import { findChallengeStart, getPayment } from "../../payments/get-payment.ts";
import { listRequests } from "../../requests/list-requests.ts";
import type { Service } from "../../service.ts";
import { listEndpoints } from "../../webhooks/find-endpoints.ts";
import { type Html, html } from "../design/html.ts";
import {
  type Facts,
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
} from "./elements.ts";
import { getDeliveryAddress } from "./endpoint-elements.ts";
import { type Confirmation, registerConfirmation } from "./forms.ts";
import { type View, sendView } from "./frame.ts";
import { renderTable } from "./list-elements.ts";
import { type Filter, toFilteredAddress } from "./list-filters.ts";
import { paymentList, readPaymentFilter } from "./payment-filters.ts";
import { justRefunded, showsRefundInProgress } from "./refund-page.ts";
import { buildRequestColumns, toPaymentsRequests } from "./requests-page.ts";
import { describeCountry, groupDigits, toWords } from "./value-words.ts";
import { type Visit, type WithId, accountPath } from "./visit.ts";

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

/** The history of a payment, oldest first, and what is next. `endpoints` are the ids of those that exist. */
function renderHistory(
  visit: Visit,
  { data, due, has_more: hasMore }: History,
  endpoints: ReadonlySet<string>,
): Html {
  return html`<section class="sheet" aria-labelledby="history">
    <h2 id="history">History</h2>
    <ol class="timeline">
      ${data.map((moment) => renderMoment(visit, moment, endpoints))} ${due.map(renderDue)}
    </ol>
    ${hasMore && html`<p class="small quiet-text">The newest ${groupDigits(String(maxMoments))} moments are shown.</p>`}
  </section>`;
}

const tones: Record<Moment["kind"], "plain" | "good" | "waiting" | "wrong"> = {
  created: "plain",
  replayed: "plain",
  refused: "wrong",
  challenged: "waiting",
  challenge_ended: "plain",
  succeeded: "good",
  failed: "wrong",
  refund_requested: "waiting",
  refunded: "plain",
  canceled: "wrong",
  delivered: "good",
  delivery_failed: "wrong",
  resent: "plain",
};

function renderMoment(visit: Visit, moment: Moment, endpoints: ReadonlySet<string>): Html {
  const { at, kind, text, event, delivery } = moment;
  return html`<li class="${tones[kind]}">
    <p class="row apart"><strong>${toWords(kind)}</strong> ${renderTime(at)}</p>
    <p><bdi>${text}</bdi></p>
    <p class="small quiet-text parts">
      ${renderAuthor(visit, moment)} ${event !== null && delivery === null && renderId(event)}
      ${renderLink(visit, moment, endpoints)}
    </p>
  </li>`;
}

/** Viewers, who see no requests, are not told which key or operator did it. */
function renderAuthor(visit: Visit, { by }: Moment): Html | false {
  if (!by) return false;
  const isPrivate = by.type === "key" || by.type === "operator";
  if (isPrivate && !visit.may("inspect")) return false;
  const who = by.name === null ? `the ${by.type}` : html`<bdi>${by.name}</bdi>`;
  const kind = by.name !== null && kindsBeforeNames[by.type];
  return html`<span class="two-lines">By ${kind}${who}</span>`;
}

const kindsBeforeNames: Partial<Record<string, string>> = {
  key: "the key ",
  network: "the card network ",
};

/** A link to the request or the delivery, for operators who may see it. */
function renderLink(
  visit: Visit,
  { request, delivery, endpoint }: Moment,
  endpoints: ReadonlySet<string>,
): Html | false {
  if (delivery !== null && endpoint !== null && endpoints.has(endpoint) && visit.may("administer"))
    return html`<a href="${getDeliveryAddress(visit, endpoint, delivery)}">Delivery</a>`;
  return (
    request !== null &&
    visit.may("inspect") &&
    html`<a href="${visit.addressOf(`/requests/${request}`)}">Request</a>`
  );
}

function renderDue({ at, text }: DueMoment): Html {
  return html`<li class="waiting">
    <p class="row apart"><strong>Next</strong> ${renderTime(at)}</p>
    <p><bdi>${text}</bdi></p>
  </li>`;
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
