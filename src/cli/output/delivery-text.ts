import type { Delivery } from "../../contract/delivery.ts";
import { formatFieldTable, formatField, type TableLayout } from "./field-text.ts";
import { formatTimes } from "./format.ts";
import { escapeControls } from "./safe-text.ts";
import { colorStatus } from "./style.ts";
import { toLines } from "./table.ts";

/**
 * Deliveries in a table: in a terminal one line each, as wide as it is, elsewhere whole. The event comes
 * first: its id is what other commands take.
 */
export function formatDeliveries(
  deliveries: Delivery[],
  { style, width, fields }: TableLayout,
): string {
  if (fields) {
    return formatFieldTable(deliveries, fields, formatField, { style, width, right: ["ATTEMPTS"] });
  }
  const { past, coming } = formatTimes(width);
  const lastOf = width === undefined ? outcome : shortOutcome;
  const head = ["EVENT", "STATUS", "ATTEMPTS", "LAST", "NEXT", "CREATED", "TYPE", "ID"];
  const rows = deliveries.map((delivery) => [
    escapeControls(delivery.event),
    delivery.status,
    String(delivery.attempts),
    lastOf(delivery),
    delivery.next_attempt_at === null ? "" : coming(delivery.next_attempt_at),
    past(delivery.created),
    delivery.type,
    escapeControls(delivery.id),
  ]);
  const paint = { STATUS: (text: string) => colorStatus(style, text) };
  const layout = { style, right: ["ATTEMPTS"], paint };
  return toLines(head, rows, { ...layout, width, least: leastWidths });
}

/** What can be shortened, and what of it can still be read. */
const leastWidths = { LAST: "the conn…".length, TYPE: "payment.succee…".length };

/** What came of the last attempt. An error says in words what status was answered. */
function outcome({ last_status, last_error }: Delivery): string {
  return escapeControls(last_error ?? String(last_status ?? ""));
}

function shortOutcome({ last_status, last_error }: Delivery): string {
  return escapeControls(String(last_status ?? last_error ?? ""));
}
