import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import {
  allEventTypes,
  defaultLeaseSeconds,
  eventTypes,
  type EventType,
  type Subscription,
} from "../../contract/field-values.ts";
import { usageError } from "../output/command-error.ts";
import { checkName, parseDuration } from "../flags/checked-values.ts";
import { eventsFlag, parseSubscription } from "../flags/endpoint-flags.ts";
import { switchFlag, textFlag } from "../flags/flags.ts";
import { parseTime } from "../flags/list-flags.ts";

/** As long as an endpoint has for a webhook. */
const defaultForwardTimeout = "15s";
const defaultTimeout = "60s";
const needsAddress = { dependsOn: ["forward-to"] };

export const listenFlags = {
  "forward-to": textFlag("Send each event to this address, signed as a webhook is.", "<url>"),
  "forward-timeout": textFlag(
    `How long the address may take to respond, such as 10m for a debugger. Default: ${defaultForwardTimeout}.`,
    "<duration>",
    needsAddress,
  ),
  header: Flags.string({
    summary: "Send this header with each event. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<name: value>",
    ...needsAddress,
  }),
  "print-response": switchFlag(
    "Print the address's response too: its status line, and the first 4 KiB of its body.",
    needsAddress,
  ),
  until: Flags.option({
    summary: "End with 0 once an event of this type has come, and was taken if it is forwarded.",
    options: eventTypes,
    helpValue: "<type>",
  })(),
  timeout: textFlag(
    `How long --until waits, before it ends with 8. Default: ${defaultTimeout}.`,
    "<duration>",
    { dependsOn: ["until"] },
  ),
  ...eventsFlag,
  "print-json": switchFlag("Print each event as JSON, too, after its line."),
  since: textFlag("Start with events since this time, such as 1h.", "<time>", {
    exclusive: ["only-new"],
  }),
  "only-new": switchFlag("Skip what happened while it was not running."),
  name: textFlag("A second listener beside the default one, with its own secret.", "<name>", {
    default: "default",
  }),
  "print-secret": switchFlag("Print the secret that signs, and end."),
};

type Listening = {
  events: Subscription;
  from: { since?: number; only_new?: boolean };
  forward: Forwarding | undefined;
  until: AwaitedEvent | undefined;
  /** The name of the listener. */
  name: string;
};

export type Forwarding = {
  url: URL;
  timeoutMs: number;
  headers: Record<string, string[]>;
  /** How long a delivery is leased; undefined: as long as by default. */
  leaseSeconds: number | undefined;
};

/** The event that listening ends with; `timeout` is as the user typed it. */
export type AwaitedEvent = { type: EventType; timeout: string; timeoutMs: number };

type ListenFlags = Partial<InferredFlags<typeof listenFlags>> & { name: string };

/** Parses the flags of `payments listen`; ages count back from `nowMs`. */
export function parseListenFlags(flags: ListenFlags, nowMs: number): Listening {
  const { since, name } = flags;
  const events = parseSubscription(flags.events ?? [allEventTypes]);
  return {
    events,
    from: {
      ...(since !== undefined && { since: parseTime(since, "--since", nowMs) }),
      ...(flags["only-new"] && { only_new: true }),
    },
    forward: parseForwarding(flags),
    until: parseUntil(flags, events),
    name: checkName(name, "ci"),
  };
}

function parseUntil(
  { until: type, timeout = defaultTimeout }: ListenFlags,
  events: Subscription,
): AwaitedEvent | undefined {
  if (type === undefined) return undefined;
  if (!events.some((each) => each === allEventTypes || each === type)) {
    throw usageError(`--until ${type} would wait for an event that --events leaves out.`);
  }
  return { type, timeout, timeoutMs: parseDuration(timeout, "--timeout") };
}

export function parseForwarding({
  "forward-to": url,
  "forward-timeout": timeout = defaultForwardTimeout,
  header = [],
}: Pick<ListenFlags, "forward-to" | "forward-timeout" | "header">): Forwarding | undefined {
  if (url === undefined) return undefined;
  const timeoutMs = parseDuration(timeout, "--forward-timeout", "12h");
  if (timeoutMs === 0) throw usageError("--forward-timeout must be longer than 0.");
  const leaseSeconds = computeLeaseSeconds(timeoutMs);
  return { url: parseForwardUrl(url), timeoutMs, headers: parseHeaders(header), leaseSeconds };
}

/**
 * The default lease outlasts the default timeout; a longer one must outlast its own as well, or the event comes twice.
 */
function computeLeaseSeconds(timeoutMs: number): number | undefined {
  const marginMs = defaultLeaseSeconds * 1000 - parseDuration(defaultForwardTimeout, "");
  const leaseSeconds = Math.ceil((timeoutMs + marginMs) / 1000);
  return leaseSeconds > defaultLeaseSeconds ? leaseSeconds : undefined;
}

function parseForwardUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw usageError(
    "--forward-to must be an http or https address without user name or password.",
    "For example --forward-to http://localhost:3000/webhooks",
  );
}

/** Headers that say how the request is sent, and those that make it a webhook. */
const reservedHeader =
  /^(?:webhook-.*|host|content-(?:length|type|encoding)|connection|keep-alive|proxy-connection|transfer-encoding|te|trailer|upgrade|expect|user-agent)$/;

/** Parses headers, and never repeats a value: it may be a secret. */
function parseHeaders(typed: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const each of typed) {
    // Visible ASCII, with spaces and tabs between: other characters arrive differently at each server.
    const [, name, value] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(each) ?? [];
    if (name === undefined || value === undefined) {
      throw usageError(
        "--header must be a name, a colon and a value in ASCII.",
        "For example --header 'Authorization: Bearer abc'",
      );
    }
    const key = name.toLowerCase();
    if (reservedHeader.test(key)) {
      throw usageError(
        `--header cannot set ${key}: it is part of how the webhook is signed and sent.`,
      );
    }
    (headers[key] ??= []).push(value.trim());
  }
  return headers;
}
