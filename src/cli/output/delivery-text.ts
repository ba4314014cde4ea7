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
    return fieldTable(deliveries, fields, fieldText, { style, width, right: ["ATTEMPTS"] });
  }
  const { past, coming } = timesIn(width);
  const lastOf = width === undefined ? outcome : shortOutcome;
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
const leastWidths = { LAST: "the conn…".length, TYPE: "payment.succee…".length };

/** What came of the last attempt. An error says in words what status was answered. */
function outcome({ last_status, last_error }: Delivery): string {
  return safeText(last_error ?? String(last_status ?? ""));
}

function shortOutcome({ last_status, last_error }: Delivery): string {
  return safeText(String(last_status ?? last_error ?? ""));
}
