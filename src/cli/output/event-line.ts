import type { ChalkInstance } from "chalk";
import type { Forwarded } from "../../client/webhook-forwarder.ts";
import type { Event } from "../../contract/event.ts";
import { money } from "../../contract/money.ts";
import { localTime } from "./format.ts";
import { safeText } from "./safe-text.ts";
import { statusIn } from "./style.ts";
import { details } from "./table.ts";

type Layout = {
  style: ChalkInstance;
  /** Columns of the terminal; undefined in a pipe, where an event is one line. */
  width?: number | undefined;
};

const [typeWidth, amountWidth] = ["payment.succeeded".length, "99999.99 EUR".length];
/** Below it the ids have lines of their own. */
const widthOfOneLine = 160;
const gap = "  ";

/** An event as it happens, and what became of forwarding it where it was. */
export function eventLine(
  { id, type, created, data }: Event,
  forwarded: Forwarded | undefined,
  { style, width = widthOfOneLine }: Layout,
): string {
  const { object: payment } = data;
  const [kind = "", status = ""] = type.split(".");
  const shownType = `${kind}.${statusIn(style, status.padEnd(typeWidth - `${kind}.`.length))}`;
  const first = [style.dim(localTime(created)), shownType];
  const last = [
    money(payment.amount, payment.currency).padStart(amountWidth),
    ...(forwarded ? [`→ ${forwardedText(forwarded, style)}`] : []),
  ];
  const ids = [safeText(id), safeText(payment.id)];
  if (width >= widthOfOneLine) return [...first, ...ids, ...last].join(gap);
  return [[...first, ...last].join(gap), ...ids.map((each) => gap + each)].join("\n");
}

function forwardedText(forwarded: Forwarded, style: ChalkInstance): string {
  if (forwarded.status === null) return style.red(safeText(forwarded.failure));
  const { status, tookMs } = forwarded;
  const isSuccess = status >= 200 && status < 300;
  const text = `${status} in ${tookMs} ms`;
  return isSuccess ? style.green(text) : style.red(text);
}

type Started = {
  /** The service, and its mode. */
  place: string;
  events: readonly string[];
  forwardTo: URL | undefined;
  secret: string;
};

/** What is listened to, and what a receiver has to know. */
export function listeningText(
  { place, events, forwardTo, secret }: Started,
  style: ChalkInstance,
): string {
  return details(
    [
      ["Listening to", place],
      ["Events", events.includes("*") ? "all" : events.join(", ")],
      ["Forwarding to", forwardTo && safeText(forwardTo.href)],
      ["Secret", safeText(secret)],
    ],
    style,
  );
}
