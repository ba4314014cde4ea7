import type { ChalkInstance } from "chalk";
import type { Event } from "../../contract/event.ts";
import { eventTypes } from "../../contract/event-values.ts";
import { formatMoney } from "../../contract/money.ts";
import { formatFields, formatFieldTable, formatField, type TableLayout } from "./field-text.ts";
import { formatLocalTime, formatTimes } from "./format.ts";
import { formatPaymentField, toPaymentPairs } from "./payment-text.ts";
import { escapeControls } from "./safe-text.ts";
import { colorStatus } from "./style.ts";
import { formatDetails, toLines } from "./table.ts";

/** One event for a person to read, with the payment as it was then. */
export function formatEvent(
  event: Event,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  if (fields) return formatFields(fields, (field) => eventField(event, field), style);
  return formatDetails(
    [
      ["Event", escapeControls(event.id)],
      ["Type", typeIn(style, event.type)],
      ["Sequence", String(event.sequence)],
      ["Happened", formatLocalTime(event.created)],
      ...toPaymentPairs(event.data.object, style),
    ],
    style,
  );
}

/**
 * Events in a table, in the order given: in a terminal one line each, as wide as it is, elsewhere whole.
 * The fields that were asked for are whole everywhere.
 */
export function formatEvents(events: Event[], { style, width, fields }: TableLayout): string {
  if (fields) {
    return formatFieldTable(events, fields, eventField, {
      style,
      width,
      right: ["DATA.OBJECT.AMOUNT"],
    });
  }
  const { past } = formatTimes(width);
  const head = ["ID", "TYPE", "AMOUNT", "CREATED", "PAYMENT"];
  const rows = events.map(({ id, type, created, data: { object: payment } }) => [
    escapeControls(id),
    type,
    formatMoney(payment.amount, payment.currency),
    past(created),
    escapeControls(payment.id),
  ]);
  const paint = { TYPE: (text: string) => typeIn(style, text) };
  const layout = { style, right: ["AMOUNT"], paint };
  return toLines(head, rows, { ...layout, width, least: leastWidths });
}

/** What can be shortened, and what of it can still be read. */
const leastWidths = {
  TYPE: "payment.succee…".length,
  PAYMENT: "pay_0199c5a8-7f3e-7abc-9def…".length,
};

/** A type, shortened perhaps, in the colour of the status that it tells. */
function typeIn(style: ChalkInstance, text: string): string {
  const type = eventTypes.find((known) => known.startsWith(text.replace(/…$/, "")));
  return colorStatus(style, text, type?.slice("payment.".length));
}

const ofPayment = "data.object.";

function eventField(event: Event, field: string): string {
  return field.startsWith(ofPayment)
    ? formatPaymentField(event.data.object, field.slice(ofPayment.length))
    : formatField(event, field);
}
