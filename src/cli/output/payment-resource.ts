import { unknownCountry } from "../../contract/card.ts";
import { paymentFields } from "../../contract/responses.ts";
import { paymentIdPattern } from "../../contract/field-values.ts";
import { formatMoney } from "../../contract/money.ts";
import type { Payment } from "../../contract/payment.ts";
import { formatCustomer } from "../../contract/search-words.ts";
import { colorMode, colorStatus, formatLocalTime } from "./style.ts";
import type { Detail, Resource } from "./resource.ts";

export const paymentResource = createPaymentResource();

/** Payments, as they are shown where `search` was looked for. */
export function createPaymentResource(search?: string): Resource<Payment> {
  return {
    name: "payment",
    one: "a payment",
    many: "payments",
    idPattern: paymentIdPattern,
    idForm: "pay_0199…",
    shownBy: "payments list",
    fields: paymentFields,
    metadata: "metadata",
    someFields: "id,amount,card.last4",
    details: listPaymentDetails,
    overflow: "cut",
    columns: [
      { title: "ID", text: ({ id }) => id },
      {
        title: "STATUS",
        text: ({ status, decline_code }, { isBrief }) => {
          if (decline_code === null) return status;
          return isBrief ? `${status} ${decline_code}` : `${status} (${decline_code})`;
        },
        minWidth: "failed lost…".length,
        paint: colorStatus,
      },
      {
        title: "AMOUNT",
        text: ({ amount, currency }) => formatMoney(amount, currency),
        isRight: true,
      },
      { title: "CREATED", text: ({ created }, { past }) => past(created) },
      { title: "CARD", text: ({ card }) => (card ? `${card.brand} ${card.last4}` : "") },
      { title: "CUSTOMER", text: ({ customer }) => formatCustomer(customer, search), minWidth: 9 },
      { title: "DESCRIPTION", text: ({ description }) => description ?? "", minWidth: 11 },
    ],
  };
}

/** Of a payment without a card, which has a page: the service shows it to keys that may create payments. */
const withheldPage = "not shown to this key, which may not create payments";

/** Lists a payment's details under labels for people. */
export function listPaymentDetails(payment: Payment): Detail[] {
  const { card, customer } = payment;
  return [
    ["Payment", payment.id],
    ["Status", payment.status, colorStatus],
    ["Amount", formatMoney(payment.amount, payment.currency)],
    ["Mode", payment.livemode ? "live" : "test", colorMode],
    ["Declined", payment.decline_code],
    ["Reason", payment.decline_message],
    ["Card", card && formatCard(card)],
    ["Customer", [customer.name, customer.email].filter((part) => part).join(", ")],
    ["Description", payment.description],
    ["Metadata", formatMetadata(payment.metadata)],
    ["Page", payment.redirect_url ?? (card ? null : withheldPage)],
    ["Created", formatLocalTime(payment.created)],
    ["Succeeded", formatOptionalTime(payment.succeeded_at)],
    ["Failed", formatOptionalTime(payment.failed_at)],
    ["Refunded", formatOptionalTime(payment.refunded_at)],
  ];
}

function formatCard({ brand, last4, exp_month, exp_year, country }: NonNullable<Payment["card"]>) {
  const expiry = `expires ${String(exp_month).padStart(2, "0")}/${exp_year}`;
  return [`${brand} •••• ${last4}`, expiry, ...(country === unknownCountry ? [] : [country])].join(
    ", ",
  );
}

function formatMetadata(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
}

export function formatOptionalTime(seconds: number | null): string | null {
  return seconds ? formatLocalTime(seconds) : null;
}
