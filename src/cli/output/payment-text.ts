import type { ChalkInstance } from "chalk";
import type { ListPaymentsQuery, PaymentList } from "../../contract/list.ts";
import type { Payment } from "../../contract/payment.ts";
import { valueOf } from "./fields.ts";
import { localTime, money } from "./format.ts";
import { json, safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { details, table } from "./table.ts";

/** One payment for a person to read: what matters of it, or the fields asked for. */
export function paymentText(
  payment: Payment,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  if (fields) {
    return details(
      fields.map((field) => [field, fieldText(payment, field, style)]),
      style,
    );
  }
  const { card, customer } = payment;
  const pairs: [string, string | null][] = [
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
  return details(
    pairs.filter((pair): pair is [string, string] => Boolean(pair[1])),
    style,
  );
}

/** Payments in a table as wide as the terminal, in the order given. */
export function paymentsTable(payments: Payment[], { style, width, fields }: TableLayout): string {
  if (fields) {
    const rows = payments.map((payment) => fields.map((field) => fieldText(payment, field, style)));
    return table(fields.map(title), rows, { style, width, right: ["AMOUNT"], whole: ["ID"] });
  }
  const head = ["ID", "STATUS", "AMOUNT", "CREATED", "CARD", "CUSTOMER", "DESCRIPTION"];
  const rows = payments.map((payment) => [
    safeText(payment.id),
    outcome(payment, style),
    money(payment.amount, payment.currency),
    localTime(payment.created),
    payment.card ? `${safeText(payment.card.brand)} ${safeText(payment.card.last4)}` : "",
    safeText(payment.customer.email || payment.customer.name),
    safeText(payment.description ?? ""),
  ]);
  return table(head, rows, { style, width, right: ["AMOUNT"] });
}

/** What is waited for. */
export function waitingText({ id, redirect_url }: Payment, timeout: string): string {
  return redirect_url === null
    ? `Waiting up to ${timeout} for the outcome of ${safeText(id)} …`
    : `Waiting up to ${timeout} for the customer to pay …`;
}

/** Where the customer pays; undefined for a payment that has no page. */
export function pageText({ redirect_url }: Payment): string | undefined {
  return redirect_url === null ? undefined : `The customer pays at ${safeText(redirect_url)}`;
}

/** How to get the page that follows in the direction of travel. */
export function nextPageHint(list: PaymentList, query: ListPaymentsQuery): string {
  return query.ending_before === undefined
    ? `There are older ones: --starting-after ${safeText(list.data.at(-1)?.id ?? "")}, or --all`
    : `There are newer ones: --ending-before ${safeText(list.data.at(0)?.id ?? "")}`;
}

type TableLayout = {
  style: ChalkInstance;
  width?: number | undefined;
  fields?: readonly string[] | undefined;
};

const times = new Set(["created", "succeeded_at", "failed_at", "refunded_at"]);

/** One field for a person to read. */
function fieldText(payment: Payment, field: string, style: ChalkInstance): string {
  const value = valueOf(payment, field);
  if (value === null || value === undefined) return "";
  if (field === "amount") return money(payment.amount, payment.currency);
  if (field === "status") return statusIn(style, payment.status);
  if (times.has(field)) return localTime(Number(value));
  return typeof value === "string" ? safeText(value) : json(value, { indented: false });
}

function outcome({ status, decline_code }: Payment, style: ChalkInstance): string {
  const word = statusIn(style, status);
  return decline_code === null ? word : `${word} (${safeText(decline_code)})`;
}

function title(field: string): string {
  return safeText(field).toUpperCase();
}

function cardText(card: NonNullable<Payment["card"]>): string {
  const expiry = `${String(card.exp_month).padStart(2, "0")}/${card.exp_year}`;
  return `${safeText(card.brand)} •••• ${safeText(card.last4)}, expires ${expiry}, ${safeText(card.country)}`;
}

function metadataText(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([key, value]) => safeText(`${key}=${value}`))
    .join(", ");
}

function timeText(seconds: number | null): string | null {
  return seconds === null ? null : localTime(seconds);
}
