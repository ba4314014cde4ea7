import type { ChalkInstance } from "chalk";
import { unknownCountry } from "../../contract/card.ts";
import type { Payment } from "../../contract/payment.ts";
import { valueOf } from "./fields.ts";
import { ageOrDate, localTime, money } from "./format.ts";
import { json, safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { details, lineEach, table } from "./table.ts";

/** One payment for a person to read: what matters of it, or the fields asked for. */
export function paymentText(
  payment: Payment,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  if (fields) {
    return details(
      fields.map((field) => {
        const text = fieldText(payment, field);
        return [field, field === "status" ? statusIn(style, text) : text];
      }),
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

/**
 * Payments in a table, in the order given: in a terminal one line each, as wide as it is, elsewhere
 * whole. The fields that were asked for are whole everywhere.
 */
export function paymentsTable(payments: Payment[], { style, width, fields }: TableLayout): string {
  const layout = {
    style,
    right: ["AMOUNT"],
    paint: { STATUS: (text: string) => statusIn(style, text) },
  };
  if (fields) {
    const rows = payments.map((payment) => fields.map((field) => fieldText(payment, field)));
    return table(fields.map(title), rows, { ...layout, width, whole: ["ID"] });
  }
  const head = ["ID", "STATUS", "AMOUNT", "CREATED", "CARD", "CUSTOMER", "DESCRIPTION"];
  if (width === undefined) {
    return table(
      head,
      payments.map((payment) => row(payment, outcome, localTime)),
      layout,
    );
  }
  const nowMs = Date.now();
  const rows = payments.map((payment) =>
    row(payment, shortOutcome, (seconds) => ageOrDate(seconds, nowMs)),
  );
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

type TableLayout = {
  style: ChalkInstance;
  width?: number | undefined;
  fields?: readonly string[] | undefined;
};

const times = new Set(["created", "succeeded_at", "failed_at", "refunded_at"]);

/** One field for a person to read. */
function fieldText(payment: Payment, field: string): string {
  const value = valueOf(payment, field);
  if (value === null || value === undefined) return "";
  if (field === "amount") return money(payment.amount, payment.currency);
  if (times.has(field)) return localTime(Number(value));
  return typeof value === "string" ? safeText(value) : json(value, { indented: false });
}

function outcome({ status, decline_code }: Payment): string {
  return decline_code === null ? status : `${status} (${safeText(decline_code)})`;
}

function shortOutcome({ status, decline_code }: Payment): string {
  return decline_code === null ? status : `${status} ${safeText(decline_code)}`;
}

function title(field: string): string {
  return safeText(field).toUpperCase();
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
