import {
  type ClockMode,
  type SigningTime,
  clockModes,
  signingTimes,
} from "../../contract/field-values.ts";
import {
  type OptionRules,
  checkOptions,
  hasMethods,
  isAtLeast,
  isBoolean,
  isHttpUrl,
  isInteger,
  isOneOf,
  isText,
  nested,
  optional,
  required,
  unlessLeftOut,
} from "../../runtime/options.ts";
import type { Log } from "../../runtime/log.ts";
import type { WebhookSettings } from "../webhooks/webhooks-service.ts";
import type { TrustedProxies } from "../web/dashboard/sign-in-page.ts";

export type ServiceSettings = {
  /** `sqlite:FILE`, or a `postgres://` URL, which may hold a password. */
  database: string;
  /** How long a payment that will be declined stays pending. */
  processingTimeMs?: number;
};

/**
 * A card network that moves money: an adapter (docs/network-protocol.md), which may take `timeoutMs` for an
 * answer, 10 s by default; or an account at Stripe, which needs the package `stripe` installed. `allowHttp` sends card
 * numbers over plain http to another machine, where others on the way could read them; by default that is refused.
 */
export type NetworkSettings =
  | { url: string; secret: string; timeoutMs?: number; allowHttp?: boolean }
  | { stripe: { secretKey: string; baseUrl?: string; allowHttp?: boolean } };

export type ServeSettings = ServiceSettings & {
  host: string;
  /** 0: any free one. */
  port: number;
  /** A port of their own for metrics and probes, 0: any free one; without it they are on `port`. */
  metricsPort?: number;
  /** The address of the service from outside, if that is not the address it listens on. */
  publicUrl?: string;
  /** How long a payment page can be paid; 24 h by default. */
  hppExpiryMs?: number;
  /** How webhooks are delivered, and for how long events are stored; 30 days by default. */
  webhooks?: Partial<WebhookSettings>;
  /** For how long requests are logged; 7 days by default, 0: not at all. */
  requestLogMs?: number;
  /** Requests a second that each key may make; 0, the default: any number. */
  rateLimit?: number;
  /** The dashboard for operators; without it there is none. */
  dashboard?: {
    /**
     * Serves it over plain http to other machines, where others on the way could take over a session. By default it is
     * refused, unless `publicUrl` is https, or it and `host` are of this machine only.
     */
    allowHttp?: boolean;
    /** Proxies whose `X-Forwarded-For` says where a request comes from; none by default. */
    trustedProxies?: TrustedProxies;
    /** Of a sandbox, whose database no command reaches: the account that has the published keys. */
    sandboxAccount?: string;
  };
  /** The card network of live payments; by default the built-in simulator, which moves no money. */
  network?: NetworkSettings;
  /** Of the program, for its metrics and the card network. */
  version?: string;
  log?: Log;
};

/**
 * `clock`: `manual` lets the time stand still until `advance`. `seed`: ids, secrets and jitter repeat with it. `signAt`:
 * `wall` signs webhooks at the real time instead of the sandbox's. `publicUrl`: where pages and their payments lead.
 * `unref`: the sandbox keeps no process from ending by itself.
 */
export type SandboxOptions = {
  sandbox: true;
  clock?: ClockMode;
  seed?: string;
  signAt?: SigningTime;
  publicUrl?: string;
  host?: string;
  port?: number;
  database?: string;
  unref?: boolean;
};

type AdapterSettings = Extract<NetworkSettings, { url: string }>;
type StripeSettings = Extract<NetworkSettings, { stripe: object }>;

/** PostgreSQL stores whole milliseconds. */
const duration = optional(isInteger(0), "a whole number of milliseconds, 0 or more");
const httpUrl = "an http or https address";
/** Spaces, and what each is for, are checked where a server listens and where a database is opened. */
const text = optional(isText, "text");
const port = optional(isInteger(0, 65_535), "a port, from 0, which is any free one, to 65535");

const allowHttp = optional(isBoolean, "true or false");

/** An empty secret would send cards to an adapter that asks for none. */
function isSecret(value: unknown): boolean {
  return isText(value) && value.trim() !== "" && /^[\x20-\x7e]+$/.test(value);
}

const adapterSettings: OptionRules<AdapterSettings> = {
  url: required(isHttpUrl, httpUrl),
  secret: required(isSecret, "text in ASCII characters, and not blank"),
  timeoutMs: optional(isAtLeast(1), "a number of milliseconds, more than 0"),
  allowHttp,
};

const stripeSettings: OptionRules<StripeSettings> = {
  stripe: nested<StripeSettings["stripe"]>({
    secretKey: required(isSecret, "text, the secret key of an account"),
    baseUrl: optional(isHttpUrl, httpUrl),
    allowHttp,
  }),
};

const serveSettings: OptionRules<ServeSettings & { sandbox?: false }> = {
  sandbox: optional((value) => value === false, "true or false"),
  database: text,
  host: text,
  port,
  metricsPort: port,
  publicUrl: optional(isHttpUrl, httpUrl),
  processingTimeMs: duration,
  hppExpiryMs: duration,
  requestLogMs: duration,
  rateLimit: optional(isAtLeast(0), "a number of requests a second, 0 or more"),
  webhooks: unlessLeftOut(
    nested<NonNullable<ServeSettings["webhooks"]>>({
      schedule: optional(
        (waits) => Array.isArray(waits) && waits.length > 0 && waits.every(isInteger(0)),
        "a list of at least one whole number of milliseconds",
      ),
      eventRetentionMs: duration,
      allowsPrivate: optional(isBoolean, "true or false"),
    }),
  ),
  dashboard: unlessLeftOut(
    nested<NonNullable<ServeSettings["dashboard"]>>({
      trustedProxies: optional((value) => hasMethods(value, "check"), "a BlockList of node:net"),
      allowHttp,
      sandboxAccount: text,
    }),
  ),
  network: unlessLeftOut((value, name) => {
    const isStripe = typeof value === "object" && value !== null && "stripe" in value;
    return isStripe ? nested(stripeSettings)(value, name) : nested(adapterSettings)(value, name);
  }),
  version: text,
  log: optional((log) => hasMethods(log, "info", "warn", "error"), "a log: info, warn, error"),
};

const sandboxOptions: OptionRules<SandboxOptions> = {
  sandbox: required((value) => value === true, "true or false"),
  clock: optional(isOneOf(clockModes), clockModes.join(" or ")),
  seed: optional(isText, "text, such as 1 in quotes"),
  signAt: optional(isOneOf(signingTimes), signingTimes.join(" or ")),
  publicUrl: optional(isHttpUrl, httpUrl),
  host: text,
  port,
  database: text,
  unref: optional(isBoolean, "true or false"),
};

/** Throws a TypeError for settings with which no service, or no sandbox, is to start. */
export function checkSettings(settings: Partial<ServeSettings> | SandboxOptions): void {
  // Of a caller without types it may be anything.
  const given: unknown = settings;
  const isObject = typeof given === "object" && given !== null;
  const isSandbox = isObject && "sandbox" in given && Boolean(given.sandbox);
  if (isSandbox) checkOptions(given, sandboxOptions, "startService with sandbox");
  else checkOptions(given, serveSettings, "startService");
}
