import type { ChalkInstance } from "chalk";
import { unknownCountry } from "../../contract/card.ts";
import type { Payment } from "../../contract/payment.ts";
import { formatMoney } from "../../contract/money.ts";
import { formatFields, formatFieldTable, formatField, type TableLayout } from "./field-text.ts";
import { formatLocalTime, formatTimes } from "./format.ts";
import { escapeControls } from "./safe-text.ts";
import { colorStatus } from "./style.ts";
import { formatDetails, toLines, type Pair } from "./table.ts";

/** One payment for a person to read: what matters of it, or the fields asked for. */
export function formatPayment(
  payment: Payment,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  return fields
    ? formatFields(fields, (field) => formatPaymentField(payment, field), style)
    : formatDetails(toPaymentPairs(payment, style), style);
}

/** What there is of a payment, by the names that a person knows it by. */
export function toPaymentPairs(payment: Payment, style: ChalkInstance): Pair[] {
  const { card, customer } = payment;
  return [
    ["Payment", escapeControls(payment.id)],
    ["Status", colorStatus(style, payment.status)],
    ["Amount", formatMoney(payment.amount, payment.currency)],
    ["Mode", payment.livemode ? style.bold("live") : "test"],
    ["Declined", payment.decline_code && escapeControls(payment.decline_code)],
    ["Reason", payment.decline_message && escapeControls(payment.decline_message)],
    ["Card", card && cardText(card)],
    ["Customer", escapeControls([customer.name, customer.email].filter((part) => part).join(", "))],
    ["Description", payment.description && escapeControls(payment.description)],
    ["Metadata", metadataText(payment.metadata)],
    ["Page", payment.redirect_url && escapeControls(payment.redirect_url)],
    ["Created", formatLocalTime(payment.created)],
    ["Succeeded", timeText(payment.succeeded_at)],
    ["Failed", timeText(payment.failed_at)],
    ["Refunded", timeText(payment.refunded_at)],
  ];
}

/**
 * Payments in a table, in the order given: in a terminal one line each, as wide as it is, elsewhere
 * whole. The fields that were asked for are whole everywhere.
 */
export function formatPayments(payments: Payment[], { style, width, fields }: TableLayout): string {
  const right = ["AMOUNT"];
  if (fields)
    return formatFieldTable(payments, fields, formatPaymentField, { style, width, right });
  const layout = { style, right, paint: { STATUS: (text: string) => colorStatus(style, text) } };
  const head = ["ID", "STATUS", "AMOUNT", "CREATED", "CARD", "CUSTOMER", "DESCRIPTION"];
  const outcomeOf = width === undefined ? outcome : shortOutcome;
  const { past } = formatTimes(width);
  const rows = payments.map((payment) => row(payment, outcomeOf, past));
  return toLines(head, rows, { ...layout, width, least: leastWidths });
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
    escapeControls(payment.id),
    outcomeOf(payment),
    formatMoney(payment.amount, payment.currency),
    timeOf(payment.created),
    card ? `${escapeControls(card.brand)} ${escapeControls(card.last4)}` : "",
    escapeControls(customer.email || customer.name),
    escapeControls(payment.description ?? ""),
  ];
}

/** One field for a person to read. */
export function formatPaymentField(payment: Payment, field: string): string {
  if (field === "amount") return formatMoney(payment.amount, payment.currency);
  return formatField(payment, field);
}

function outcome({ status, decline_code }: Payment): string {
  return decline_code === null ? status : `${status} (${escapeControls(decline_code)})`;
}

function shortOutcome({ status, decline_code }: Payment): string {
  return decline_code === null ? status : `${status} ${escapeControls(decline_code)}`;
}

function cardText(card: NonNullable<Payment["card"]>): string {
  const expiry = `${String(card.exp_month).padStart(2, "0")}/${card.exp_year}`;
  const known = [
    `${escapeControls(card.brand)} •••• ${escapeControls(card.last4)}`,
    `expires ${expiry}`,
  ];
  if (card.country !== unknownCountry) known.push(escapeControls(card.country));
  return known.join(", ");
}

function metadataText(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([key, value]) => escapeControls(`${key}=${value}`))
    .join(", ");
}

function timeText(seconds: number | null): string | null {
  return seconds === null ? null : formatLocalTime(seconds);
}
