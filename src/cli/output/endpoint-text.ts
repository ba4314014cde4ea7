import type { ChalkInstance } from "chalk";
import { allEventTypes } from "../../contract/event-values.ts";
import type { WebhookEndpoint } from "../../contract/webhook-endpoint.ts";
import { formatFields, formatFieldTable, formatField, type TableLayout } from "./field-text.ts";
import { formatLocalTime, formatTimes } from "./format.ts";
import { escapeControls } from "./safe-text.ts";
import { colorStatus } from "./style.ts";
import { formatDetails, toLines } from "./table.ts";

/** One endpoint for a person to read, with its secret where that has just been made. */
export function formatEndpoint(
  endpoint: WebhookEndpoint,
  style: ChalkInstance,
  fields?: readonly string[],
): string {
  if (fields) return formatFields(fields, (field) => formatField(endpoint, field), style);
  const { id, secret, description, livemode, created } = endpoint;
  return formatDetails(
    [
      ["Endpoint", escapeControls(id)],
      ["URL", addressOf(endpoint)],
      ["Events", eventsOf(endpoint)],
      ["Description", description && escapeControls(description)],
      ["Secret", secret && style.bold(escapeControls(secret))],
      ["Status", colorStatus(style, statusOf(endpoint))],
      ["Mode", livemode ? style.bold("live") : "test"],
      ["Created", formatLocalTime(created)],
    ],
    style,
  );
}

/** Endpoints in a table: in a terminal one line each, as wide as it is, elsewhere whole. */
export function formatEndpoints(
  endpoints: WebhookEndpoint[],
  { style, width, fields }: TableLayout,
): string {
  if (fields) return formatFieldTable(endpoints, fields, formatField, { style, width, right: [] });
  const { past } = formatTimes(width);
  const head = ["ID", "URL", "STATUS", "EVENTS", "CREATED", "DESCRIPTION"];
  const rows = endpoints.map((endpoint) => [
    escapeControls(endpoint.id),
    addressOf(endpoint),
    statusOf(endpoint),
    eventsOf(endpoint),
    past(endpoint.created),
    escapeControls(endpoint.description ?? ""),
  ]);
  const layout = { style, paint: { STATUS: (text: string) => colorStatus(style, text) } };
  return toLines(head, rows, { ...layout, width, least: leastWidths });
}

/** What can be shortened, and what of it can still be read. */
const leastWidths = { URL: 24, STATUS: "disabled (…".length, EVENTS: 17, DESCRIPTION: 11 };

/** What has no address is kept for `payments listen`. */
function addressOf({ url }: WebhookEndpoint): string {
  return url === null ? "listen" : escapeControls(url);
}

function eventsOf({ events }: WebhookEndpoint): string {
  return events.includes(allEventTypes) ? "all" : escapeControls(events.join(", "));
}

function statusOf({ status, disabled_reason }: WebhookEndpoint): string {
  return disabled_reason === null ? status : `${status} (${escapeControls(disabled_reason)})`;
}
