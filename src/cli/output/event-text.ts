import type { ChalkInstance } from "chalk";
import type { Event } from "../../contract/event.ts";
import { eventTypes } from "../../contract/event-values.ts";
import { money } from "../../contract/money.ts";
import { fieldLines, fieldTable, fieldText, type TableLayout } from "./field-text.ts";
import { localTime, timesIn } from "./format.ts";
import { paymentField, paymentPairs } from "./payment-text.ts";
import { safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { details, lineEach } from "./table.ts";

/** One event for a person to read, with the payment as it was then. */
export function eventText(event: Event, style: ChalkInstance, fields?: readonly string[]): string {
  if (fields) return fieldLines(fields, (field) => eventField(event, field), style);
  return details(
    [
      ["Event", safeText(event.id)],
      ["Type", typeIn(style, event.type)],
      ["Sequence", String(event.sequence)],
      ["Happened", localTime(event.created)],
      ...paymentPairs(event.data.object, style),
    ],
    style,
  );
}

/**
 * Events in a table, in the order given: in a terminal one line each, as wide as it is, elsewhere whole.
 * The fields that were asked for are whole everywhere.
 */
export function eventsTable(events: Event[], { style, width, fields }: TableLayout): string {
  if (fields) {
    return fieldTable(events, fields, eventField, { style, width, right: ["DATA.OBJECT.AMOUNT"] });
  }
  const { past } = timesIn(width);
  const head = ["ID", "TYPE", "AMOUNT", "CREATED", "PAYMENT"];
  const rows = events.map(({ id, type, created, data: { object: payment } }) => [
    safeText(id),
    type,
    money(payment.amount, payment.currency),
    past(created),
    safeText(payment.id),
  ]);
  const paint = { TYPE: (text: string) => typeIn(style, text) };
  const layout = { style, right: ["AMOUNT"], paint };
  return lineEach(head, rows, { ...layout, width, least: leastWidths });
}

/** What can be shortened, and what of it can still be read. */
const leastWidths = {
  TYPE: "payment.succee…".length,
  PAYMENT: "pay_0199c5a8-7f3e-7abc-9def…".length,
};

/** A type, shortened perhaps, in the colour of the status that it tells. */
function typeIn(style: ChalkInstance, text: string): string {
  const type = eventTypes.find((known) => known.startsWith(text.replace(/…$/, "")));
  return statusIn(style, text, type?.slice("payment.".length));
}

const ofPayment = "data.object.";

function eventField(event: Event, field: string): string {
  return field.startsWith(ofPayment)
    ? paymentField(event.data.object, field.slice(ofPayment.length))
    : fieldText(event, field);
}
