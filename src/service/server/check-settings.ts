import { clockModes } from "../../contract/sandbox-values.ts";
import {
  checkOptions,
  hasMethods,
  isAtLeast,
  isBoolean,
  isHttpUrl,
  isInteger,
  isText,
  nested,
  optional,
  required,
  unlessLeftOut,
  type OptionRules,
} from "../../runtime/options.ts";
import type { SandboxOptions } from "./running-sandbox.ts";
import type { NetworkSettings, ServeSettings } from "./serve-settings.ts";

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
  clock: optional(
    (mode) => (clockModes as readonly unknown[]).includes(mode),
    clockModes.join(" or "),
  ),
  seed: optional(isText, "text, such as 1 in quotes"),
  host: text,
  port,
  database: text,
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
