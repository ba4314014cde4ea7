import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import type { Routes } from "../../client/webhook-forwarder.ts";
import {
  allEventTypes,
  defaultLeaseSeconds,
  eventTypes,
  type EventType,
  type Subscription,
} from "../../contract/field-values.ts";
import { usageError } from "../output/command-error.ts";
import { checkName, parseHeaderFlags } from "../flags/checked-values.ts";
import { parseDuration } from "../flags/waiting.ts";
import {
  envFileFlag,
  eventsFlag,
  parseSubscription,
  switchFlag,
  textFlag,
} from "../flags/flags.ts";
import { parseTime } from "../flags/list-flags.ts";

/** As long as an endpoint has for a webhook. */
const defaultForwardTimeout = "15s";
const defaultTimeout = "60s";
const needsAddress = {
  relationships: [{ type: "some" as const, flags: ["forward-to", "route"] }],
};

export const listenFlags = {
  "forward-to": textFlag("Send each event to this address, signed as a webhook is.", "<url>"),
  route: Flags.string({
    summary:
      "Send events of this type to an address of their own, or to a path below --forward-to; * is the rest. What has no route is shown alone. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<type=target>",
  }),
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
  "print-secret": switchFlag("Print the secret that signs, and end.", {
    exclusive: ["write-env"],
  }),
  ...envFileFlag,
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
  routes: Routes;
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
    forward: parseForwarding(flags, events),
    until: parseUntil(flags, events),
    name: checkName(name, "ci"),
  };
}

function parseUntil(
  { until: type, timeout = defaultTimeout }: ListenFlags,
  events: Subscription,
): AwaitedEvent | undefined {
  if (type === undefined) return undefined;
  if (!includesType(events, type)) {
    throw usageError(`--until ${type} would wait for an event that --events leaves out.`);
  }
  return { type, timeout, timeoutMs: parseDuration(timeout, "--timeout") };
}

type ForwardFlags = Pick<ListenFlags, "forward-to" | "route" | "forward-timeout" | "header">;

/** Parses where events of a subscription are forwarded to, if they are. */
export function parseForwarding(
  {
    "forward-to": to,
    route = [],
    "forward-timeout": timeout = defaultForwardTimeout,
    header = [],
  }: ForwardFlags,
  events: Subscription = [allEventTypes],
): Forwarding | undefined {
  const base = to === undefined ? undefined : parseAddress(to, "--forward-to");
  if (!base && route.length === 0) return undefined;
  const timeoutMs = parseDuration(timeout, "--forward-timeout", "12h");
  if (timeoutMs === 0) throw usageError("--forward-timeout must be longer than 0.");
  const leaseSeconds = computeLeaseSeconds(timeoutMs);
  const routes: Routes =
    base && route.length === 0
      ? new Map([[allEventTypes, base]])
      : parseRoutes(route, base, events);
  return { routes, timeoutMs, headers: parseHeaders(header), leaseSeconds };
}

const routeTypes = [...eventTypes, allEventTypes] as const;
const routeExample = "For example --route payment.failed=http://localhost:3000/failed";

function includesType(events: Subscription, type: EventType): boolean {
  return events.some((each) => each === allEventTypes || each === type);
}

/**
 * The default lease outlasts the default timeout; a longer one must outlast its own as well, or the event comes twice.
 */
function computeLeaseSeconds(timeoutMs: number): number | undefined {
  const marginMs = defaultLeaseSeconds * 1000 - parseDuration(defaultForwardTimeout, "");
  const leaseSeconds = Math.ceil((timeoutMs + marginMs) / 1000);
  return leaseSeconds > defaultLeaseSeconds ? leaseSeconds : undefined;
}

function parseRoutes(
  typed: readonly string[],
  base: URL | undefined,
  events: Subscription,
): Routes {
  const routes = new Map<(typeof routeTypes)[number], URL>();
  for (const each of typed) {
    const at = each.indexOf("=");
    const type = routeTypes.find((known) => known === each.slice(0, at));
    if (!type) {
      throw usageError(
        `--route must be ${eventTypes.join(", ")} or '*', then = and where it goes.`,
        routeExample,
      );
    }
    if (routes.has(type)) throw usageError(`--route ${type} can be given only once.`);
    if (type !== allEventTypes && !includesType(events, type)) {
      throw usageError(`--route ${type} is for events that --events leaves out.`);
    }
    routes.set(type, parseTarget(each.slice(at + 1), base));
  }
  return routes;
}

function parseTarget(target: string, base: URL | undefined): URL {
  if (!target.startsWith("/")) return parseAddress(target, "--route");
  if (!base) {
    throw usageError("--route to a path needs --forward-to, which the path is joined to.");
  }
  const { pathname, search } = new URL(`http://path${target}`);
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/$/, "") + pathname;
  if (search !== "") url.search = search;
  return url;
}

function parseAddress(text: string, option: "--forward-to" | "--route"): URL {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  const [also, example] =
    option === "--route"
      ? [", or a path below --forward-to", routeExample]
      : ["", "For example --forward-to http://localhost:3000/webhooks"];
  throw usageError(
    `${option} must be an http or https address without user name or password${also}.`,
    example,
  );
}

/** Headers that say how the request is sent, and those that make it a webhook. */
const reservedHeader =
  /^(?:webhook-.*|host|content-(?:length|type|encoding)|connection|keep-alive|proxy-connection|transfer-encoding|te|trailer|upgrade|expect|user-agent)$/;

function parseHeaders(typed: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [key, value] of parseHeaderFlags(typed, "Authorization: Bearer abc")) {
    if (reservedHeader.test(key)) {
      throw usageError(
        `--header cannot set ${key}: it is part of how the webhook is signed and sent.`,
      );
    }
    (headers[key] ??= []).push(value);
  }
  return headers;
}
