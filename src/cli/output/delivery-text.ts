import type { Delivery } from "../../contract/delivery.ts";
import { fieldTable, fieldText, type TableLayout } from "./field-text.ts";
import { timesIn } from "./format.ts";
import { safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { lineEach } from "./table.ts";

/**
 * Deliveries in a table: in a terminal one line each, as wide as it is, elsewhere whole. The event comes
 * first: its id is what other commands take.
 */
export function deliveriesTable(
  deliveries: Delivery[],
  { style, width, fields }: TableLayout,
): string {
  if (fields) {
    return fieldTable(deliveries, fields, deliveryField, { style, width, right: ["ATTEMPTS"] });
  }
  const { past, coming } = timesIn(width);
  const head = ["EVENT", "STATUS", "ATTEMPTS", "LAST", "NEXT", "CREATED", "TYPE", "ID"];
  const rows = deliveries.map((delivery) => [
    safeText(delivery.event),
    delivery.status,
    String(delivery.attempts),
    lastOf(delivery),
    delivery.next_attempt_at === null ? "" : coming(delivery.next_attempt_at),
    past(delivery.created),
    delivery.type,
    safeText(delivery.id),
  ]);
  const paint = { STATUS: (text: string) => statusIn(style, text) };
  const layout = { style, right: ["ATTEMPTS"], paint };
  return lineEach(head, rows, { ...layout, width, least: leastWidths });
}

/** What can be shortened, and what of it can still be read. */
const leastWidths = { LAST: "500 ab…".length, TYPE: "payment.succee…".length };

/** What came of the last attempt: the status that was answered, and why that was no success. */
function lastOf({ last_status, last_error }: Delivery): string {
  return [last_status ?? "", safeText(last_error ?? "")].join(" ").trim();
}

const times = new Set(["created", "next_attempt_at"]);

function deliveryField(delivery: Delivery, field: string): string {
  return fieldText(delivery, field, times);
}
