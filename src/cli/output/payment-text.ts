import type { ChalkInstance } from "chalk";
import { unknownCountry } from "../../contract/card.ts";
import type { Payment } from "../../contract/payment.ts";
import { money } from "../../contract/money.ts";
import { fieldLines, fieldTable, fieldText, type TableLayout } from "./field-text.ts";
import { localTime, timesIn } from "./format.ts";
import { safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { details, lineEach, type Pair } from "./table.ts";

/** One payment for a person to read: what matters of it, or the fields asked for. */
export function paymentText(
  payment: Payment,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  return fields
    ? fieldLines(fields, (field) => paymentField(payment, field), style)
    : details(paymentPairs(payment, style), style);
}

/** What there is of a payment, by the names that a person knows it by. */
export function paymentPairs(payment: Payment, style: ChalkInstance): Pair[] {
  const { card, customer } = payment;
  return [
    ["Payment", safeText(payment.id)],
    ["Status", statusIn(style, payment.status)],
    ["Amount", money(payment.amount, payment.currency)],
    ["Mode", payment.livemode ? style.bold("live") : "test"],
    ["Declined", payment.decline_code && safeText(payment.decline_code)],
    ["Reason", payment.decline_message && safeText(payment.decline_message)],
    ["Card", card && cardText(card)],
    ["Customer", safeText([customer.name, customer.email].filter((part) => part).join(", "))],
    ["Description", payment.description && safeText(payment.description)],
    ["Metadata", metadataText(payment.metadata)],
    ["Page", payment.redirect_url && safeText(payment.redirect_url)],
    ["Created", localTime(payment.created)],
    ["Succeeded", timeText(payment.succeeded_at)],
    ["Failed", timeText(payment.failed_at)],
    ["Refunded", timeText(payment.refunded_at)],
  ];
}

/**
 * Payments in a table, in the order given: in a terminal one line each, as wide as it is, elsewhere
 * whole. The fields that were asked for are whole everywhere.
 */
export function paymentsTable(payments: Payment[], { style, width, fields }: TableLayout): string {
  const right = ["AMOUNT"];
  if (fields) return fieldTable(payments, fields, paymentField, { style, width, right });
  const layout = { style, right, paint: { STATUS: (text: string) => statusIn(style, text) } };
  const head = ["ID", "STATUS", "AMOUNT", "CREATED", "CARD", "CUSTOMER", "DESCRIPTION"];
  const outcomeOf = width === undefined ? outcome : shortOutcome;
  const { past } = timesIn(width);
  const rows = payments.map((payment) => row(payment, outcomeOf, past));
  return lineEach(head, rows, { ...layout, width, least: leastWidths });
}

/** What can be shortened, and what of it can still be read. */
const leastWidths = { STATUS: "failed lost…".length, CUSTOMER: 9, DESCRIPTION: 11 };

function row(
  payment: Payment,
  outcomeOf: (payment: Payment) => string,
  timeOf: (seconds: number) => string,
): string[] {
  const { card, customer } = payment;
  return [
    safeText(payment.id),
    outcomeOf(payment),
    money(payment.amount, payment.currency),
    timeOf(payment.created),
    card ? `${safeText(card.brand)} ${safeText(card.last4)}` : "",
    safeText(customer.email || customer.name),
    safeText(payment.description ?? ""),
  ];
}

/** One field for a person to read. */
export function paymentField(payment: Payment, field: string): string {
  if (field === "amount") return money(payment.amount, payment.currency);
  return fieldText(payment, field);
}

function outcome({ status, decline_code }: Payment): string {
  return decline_code === null ? status : `${status} (${safeText(decline_code)})`;
}

function shortOutcome({ status, decline_code }: Payment): string {
  return decline_code === null ? status : `${status} ${safeText(decline_code)}`;
}

function cardText(card: NonNullable<Payment["card"]>): string {
  const expiry = `${String(card.exp_month).padStart(2, "0")}/${card.exp_year}`;
  const known = [`${safeText(card.brand)} •••• ${safeText(card.last4)}`, `expires ${expiry}`];
  if (card.country !== unknownCountry) known.push(safeText(card.country));
  return known.join(", ");
}

function metadataText(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([key, value]) => safeText(`${key}=${value}`))
    .join(", ");
}

function timeText(seconds: number | null): string | null {
  return seconds === null ? null : localTime(seconds);
}
