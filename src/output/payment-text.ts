import type { ChalkInstance } from "chalk";
import type { Payment } from "../contract/payment.ts";
import { localTime, money } from "./format.ts";
import { safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { details, table } from "./table.ts";

/** One payment for a person to read. */
export function paymentText(payment: Payment, style: ChalkInstance): string {
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

/** Payments in a table, in the order given. */
export function paymentsTable(payments: Payment[], style: ChalkInstance): string {
  return table(
    ["ID", "STATUS", "AMOUNT", "CARD", "CUSTOMER", "DESCRIPTION", "CREATED"],
    payments.map((payment) => [
      safeText(payment.id),
      statusIn(style, payment.status),
      money(payment.amount, payment.currency),
      payment.card ? `${safeText(payment.card.brand)} ${safeText(payment.card.last4)}` : "",
      short(payment.customer.email || payment.customer.name),
      short(payment.decline_code ?? payment.description ?? ""),
      localTime(payment.created),
    ]),
    style,
    ["AMOUNT"],
  );
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

/** The beginning of a text, for a cell. */
export function short(text: string): string {
  const characters = [...safeText(text)];
  return characters.length <= 30 ? characters.join("") : `${characters.slice(0, 29).join("")}…`;
}
