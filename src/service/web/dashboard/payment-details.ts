import type { Payment } from "../../../contract/payment.ts";
import { html, type Html } from "../design/html.ts";
import { renderAmount, renderCard, renderFacts, renderTime, type Facts } from "./elements.ts";
import { toFilteredAddress, type Filter } from "./list-filters.ts";
import { paymentList, readPaymentFilter } from "./payment-filters.ts";
import { describeCountry } from "./value-words.ts";
import type { Visit } from "./visit.ts";

/** Every field of a payment, and its metadata. */
export function renderDetails(visit: Visit, payment: Payment, atBankSince: Html | null): Html {
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
