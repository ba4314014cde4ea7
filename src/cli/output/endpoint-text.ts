import type { ChalkInstance } from "chalk";
import { everyType } from "../../contract/event-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { fieldLines, fieldTable, fieldText, type TableLayout } from "./field-text.ts";
import { localTime, timesIn } from "./format.ts";
import { safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { details, lineEach } from "./table.ts";

/** One endpoint for a person to read, with its secret where that has just been made. */
export function endpointText(
  endpoint: WebhookEndpoint,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  if (fields) return fieldLines(fields, (field) => fieldText(endpoint, field), style);
  const { id, secret, description, livemode, created } = endpoint;
  return details(
    [
      ["Endpoint", safeText(id)],
      ["URL", addressOf(endpoint)],
      ["Events", eventsOf(endpoint)],
      ["Description", description && safeText(description)],
      ["Secret", secret && style.bold(safeText(secret))],
      ["Status", statusIn(style, statusOf(endpoint))],
      ["Mode", livemode ? style.bold("live") : "test"],
      ["Created", localTime(created)],
    ],
    style,
  );
}

/** Endpoints in a table: in a terminal one line each, as wide as it is, elsewhere whole. */
export function endpointsTable(
  endpoints: WebhookEndpoint[],
  { style, width, fields }: TableLayout,
): string {
  if (fields) return fieldTable(endpoints, fields, fieldText, { style, width, right: [] });
  const { past } = timesIn(width);
  const head = ["ID", "URL", "STATUS", "EVENTS", "CREATED", "DESCRIPTION"];
  const rows = endpoints.map((endpoint) => [
    safeText(endpoint.id),
    addressOf(endpoint),
    statusOf(endpoint),
    eventsOf(endpoint),
    past(endpoint.created),
    safeText(endpoint.description ?? ""),
  ]);
  const layout = { style, paint: { STATUS: (text: string) => statusIn(style, text) } };
  return lineEach(head, rows, { ...layout, width, least: leastWidths });
}

/** What can be shortened, and what of it can still be read. */
const leastWidths = { URL: 24, STATUS: "disabled (…".length, EVENTS: 17, DESCRIPTION: 11 };

/** What has no address is kept for `payments listen`. */
function addressOf({ url }: WebhookEndpoint): string {
  return url === null ? "listen" : safeText(url);
}

function eventsOf({ events }: WebhookEndpoint): string {
  return events.includes(everyType) ? "all" : safeText(events.join(", "));
}

function statusOf({ status, disabled_reason }: WebhookEndpoint): string {
  return disabled_reason === null ? status : `${status} (${safeText(disabled_reason)})`;
}
