import type { ChalkInstance } from "chalk";
import type { Forwarded, Routes } from "../../client/webhook-forwarder.ts";
import type { DeliveryDetails, DeliveryTry, WebhookTest } from "../../contract/delivery.ts";
import type { Event } from "../../contract/event.ts";
import { allEventTypes } from "../../contract/field-values.ts";
import { formatMoney } from "../../contract/money.ts";
import { escapeControls, escapeLines } from "../../runtime/text.ts";
import { colorStatus, formatLocalTime } from "./style.ts";
import { formatDetails } from "./table.ts";

type Layout = {
  style: ChalkInstance;
  /** Columns of the terminal; undefined in a pipe, where an event is one line. */
  width?: number | undefined;
};

const [typeWidth, amountWidth] = ["payment.succeeded".length, "99999.99 EUR".length];
/** On a narrower terminal the ids get lines of their own. */
const widthOfOneLine = 160;
const gap = "  ";

/** Formats an event, with the result of forwarding it if it was forwarded. */
export function formatEventLine(
  { id, type, created, data }: Event,
  forwarded: Forwarded | undefined,
  { style, width = widthOfOneLine }: Layout,
): string {
  const { object: payment } = data;
  const [kind = "", status = ""] = type.split(".");
  const shownType = `${kind}.${colorStatus(style, status.padEnd(typeWidth - `${kind}.`.length))}`;
  const first = [style.dim(formatLocalTime(created)), shownType];
  const last = [
    formatMoney(payment.amount, payment.currency).padStart(amountWidth),
    ...(forwarded ? [`→ ${formatForwarded(forwarded, style)}`] : []),
  ];
  const ids = [escapeControls(id), escapeControls(payment.id)];
  if (width >= widthOfOneLine) return [...first, ...ids, ...last].join(gap);
  return [[...first, ...last].join(gap), ...ids.map((each) => gap + each)].join("\n");
}

/** Formats the response of the address to which an event was forwarded: its status line and its body, indented. */
export function formatResponse(forwarded: Forwarded | undefined): string | undefined {
  if (forwarded?.status == null || !forwarded.response) return undefined;
  const { statusText, body, isCut } = forwarded.response;
  const lines = body === "" ? [] : escapeLines(`${body}${isCut ? "…" : ""}`);
  return [`HTTP/1.1 ${forwarded.status} ${escapeControls(statusText)}`, ...lines]
    .map((line) => `${gap}${line}`.trimEnd())
    .join("\n");
}

function formatForwarded(forwarded: Forwarded, style: ChalkInstance): string {
  if (forwarded.status === null) return style.red(escapeControls(forwarded.failure));
  const { status, tookMs } = forwarded;
  return colorByStatus(status, `${status} in ${tookMs} ms`, style);
}

type Started = {
  /** The service, and its mode. */
  source: string;
  events: readonly string[];
  /** The addresses that events are forwarded to; none where they are only shown. */
  routes: Routes | undefined;
  secret: string;
};

/** Formats the start of listening: the source of the events, and the secret that a receiver needs. */
export function formatListening(
  { source, events, routes, secret }: Started,
  style: ChalkInstance,
): string {
  return formatDetails(
    [
      ["Listening to", source],
      ["Events", events.includes("*") ? "all" : events.join(", ")],
      ...[...(routes ?? [])].map(([type, { href }]): [string, string] => [
        "Forwarding to",
        escapeControls(type === allEventTypes ? href : `${href} (${type})`),
      ]),
      ["Secret", escapeControls(secret)],
    ],
    style,
  );
}

/** Formats a delivery, and below it each try with the beginning of its answer. */
export function formatDelivery(delivery: DeliveryDetails, style: ChalkInstance): string {
  const {
    id,
    event,
    endpoint,
    type,
    status,
    attempts,
    next_attempt_at: next,
    created,
    tries,
  } = delivery;
  const facts = formatDetails(
    [
      ["Delivery", escapeControls(id)],
      ["Event", escapeControls(event)],
      ["Endpoint", endpoint && escapeControls(endpoint)],
      ["Type", escapeControls(type)],
      ["Status", colorStatus(style, status)],
      ["Attempts", String(attempts)],
      ["Next attempt", next === null ? undefined : formatLocalTime(next)],
      ["Created", formatLocalTime(created)],
    ],
    style,
  );
  if (tries.length === 0) return `${facts}\n\nNo try yet.`;
  return [facts, ...tries.map((each) => formatTry(each, style))].join("\n\n");
}

function formatTry(each: DeliveryTry, style: ChalkInstance): string {
  const { created, status, duration_ms: durationMs, error, answer } = each;
  const words = [
    formatLocalTime(created),
    formatStatus(status, style),
    durationMs === null ? undefined : `${durationMs} ms`,
    error === null ? undefined : escapeControls(error),
  ];
  return [words.filter((word) => word !== undefined).join(gap), ...formatAnswer(answer)].join("\n");
}

/** Formats the outcome of a test. */
export function formatTest(test: WebhookTest, style: ChalkInstance): string {
  const facts = formatDetails(
    [
      ["Event", escapeControls(test.event)],
      ["Status", formatStatus(test.status, style)],
      ["Took", `${test.duration_ms} ms`],
      ["Error", test.error === null ? undefined : escapeControls(test.error)],
    ],
    style,
  );
  const lines = formatAnswer(test.answer);
  return lines.length === 0 ? facts : [facts, "", style.dim("Answer"), ...lines].join("\n");
}

function formatStatus(status: number | null, style: ChalkInstance): string {
  return status === null ? style.red("no answer") : colorByStatus(status, String(status), style);
}

function colorByStatus(status: number, text: string, style: ChalkInstance): string {
  return status >= 200 && status < 300 ? style.green(text) : style.red(text);
}

/** The lines of an answer, indented; none of one without text. */
function formatAnswer(answer: string | null): string[] {
  if (answer === null || answer.trim() === "") return [];
  return escapeLines(answer).map((line) => `${gap}${line}`.trimEnd());
}
