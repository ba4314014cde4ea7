import { BlockList, isIP } from "node:net";
import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { isConfidential, isReachedConfidentially } from "../../runtime/transport-safety.ts";
import type { runService } from "../../service/server/run-service.ts";
import { type NameSetting, parseUrl } from "../flags/checked-values.ts";
import {
  addressFlags,
  databaseFlag,
  integerFlag,
  networkFlag,
  switchFlag,
  textFlag,
  withVariables,
} from "../flags/flags.ts";
import { parseDuration } from "../flags/waiting.ts";
import { usageError } from "../output/command-error.ts";
import type { Environment } from "./blank-settings.ts";
import { assertSafeTransport, resolveDatabase } from "./resolve-settings.ts";

/** The settings of a service that runs: each has a variable, too, so that a deployment needs no command line. */
export const serveFlags = withVariables({
  ...addressFlags,
  "metrics-port": integerFlag(
    "A separate port for metrics and probes; 0 is any free one. Default: on --port.",
    "<port>",
    { min: 0, max: 65_535 },
  ),
  "public-url": textFlag("The URL at which the service is reached from outside.", "<url>"),
  "processing-time": textFlag(
    "How long a payment that will be declined stays pending.",
    "<duration>",
    { default: "1s" },
  ),
  "hpp-expiry": textFlag("How long a hosted payment page can be paid.", "<duration>", {
    default: "24h",
  }),
  network: networkFlag(
    "Where live payments go: simulator, which moves no money, stripe, or the address of a card network's adapter.",
    { default: "simulator" },
  ),
  "event-retention": textFlag("How long to keep events.", "<duration>", { default: "30d" }),
  "request-log": textFlag(
    "How long to keep the log of requests, or off to keep none.",
    "<duration>",
    { default: "7d" },
  ),
  "webhook-schedule": textFlag(
    "The delay before the first attempt of a webhook, and before each further one, such as 0s,5s,5m.",
    "<durations>",
  ),
  "webhook-allow-private": switchFlag(
    "Let webhooks reach private addresses, and over plain http in live mode.",
    { allowNo: true },
  ),
  dashboard: switchFlag("Serve the dashboard for operators at /dashboard.", { allowNo: true }),
  "trusted-proxies": textFlag(
    "Proxies, as addresses or networks, whose X-Forwarded-For names the client of a dashboard request.",
    "<networks>",
  ),
  "rate-limit": integerFlag("Requests a second that each key may make; 0 is any number.", "<n>", {
    default: 0,
    min: 0,
    max: 1_000_000,
  }),
  "log-level": Flags.string({
    summary: "Which logs to write.",
    default: "info",
    helpValue: "<level>",
    options: ["trace", "debug", "info", "warn", "error", "silent"],
  }),
  ...databaseFlag,
});

type ServeFlags = InferredFlags<typeof serveFlags>;

type RunSettings = Omit<Parameters<typeof runService>[1], "version">;

/** Resolves the settings of `serve`; errors name each as the user gave it. */
export function resolveServeSettings(
  flags: ServeFlags,
  name: NameSetting,
  env: Environment,
): RunSettings {
  const { host, port, "metrics-port": metricsPort } = flags;
  const { "public-url": url, "webhook-schedule": steps, "trusted-proxies": proxies } = flags;
  checkHost(host, name("host"));
  const publicUrl = url === undefined ? undefined : parseUrl(url, name("public-url"));
  if (metricsPort && metricsPort === port) {
    throw usageError(`${name("metrics-port")} must be another port than ${name("port")}.`);
  }
  const schedule = steps === undefined ? undefined : parseSchedule(steps, name("webhook-schedule"));
  const dashboard = parseDashboardSettings(flags.dashboard, proxies, { host, publicUrl }, name);
  const network = resolveNetwork(flags.network, env, name("network"));
  const parse = (flag: DurationFlag, max?: string) => parseDuration(flags[flag], name(flag), max);
  return {
    database: resolveDatabase(flags.database, env),
    host,
    port,
    ...(metricsPort !== undefined && { metricsPort }),
    ...(publicUrl !== undefined && { publicUrl }),
    processingTimeMs: parse("processing-time"),
    hppExpiryMs: parse("hpp-expiry", "365d"),
    ...(network && { network }),
    ...(dashboard && { dashboard }),
    webhooks: {
      eventRetentionMs: parse("event-retention", "3650d"),
      allowsPrivate: flags["webhook-allow-private"],
      ...(schedule && { schedule }),
    },
    requestLogMs: flags["request-log"] === "off" ? 0 : parse("request-log", "3650d"),
    rateLimit: flags["rate-limit"],
  };
}

type DurationFlag = "processing-time" | "hpp-expiry" | "event-retention" | "request-log";

/** Refuses what can be no host; whether this machine has it, only listening shows. */
function checkHost(host: string, name: string): void {
  if (isIP(host) !== 0 || /^[\w.-]+(?:%[\w.-]+)?$/.test(host)) return;
  throw usageError(
    `${name} must be an address or a name of this machine, without scheme and port.`,
    "For example 127.0.0.1, or 0.0.0.0 for all interfaces.",
  );
}

const maxSteps = 100;

function parseSchedule(text: string, name: string): number[] {
  const steps = text.split(",").map((step) => parseDuration(step.trim(), name));
  if (steps.length > maxSteps) throw usageError(`${name} must have at most ${maxSteps} steps.`);
  return steps;
}

/** The host on which a service listens, and the URL at which others reach it. */
type Address = { host: string; publicUrl: string | undefined };

/** Parses the settings of the dashboard; undefined if the service serves none. */
export function parseDashboardSettings(
  isEnabled: boolean,
  trustedProxies: string | undefined,
  address: Address,
  name: NameSetting,
): { trustedProxies: BlockList } | undefined {
  if (!isEnabled) {
    if (trustedProxies === undefined) return undefined;
    throw usageError(
      `${name("trusted-proxies")} is for the dashboard: add --dashboard, or leave it out.`,
    );
  }
  if (!isReachedConfidentially(address)) {
    throw usageError(
      `${name("dashboard")} needs an https --public-url, or a --host and --public-url of this machine only: without encryption others could take over a session.`,
      "For example --public-url https://payments.example.com, behind a proxy that has the certificate.",
    );
  }
  const networks = new BlockList();
  for (const network of trustedProxies?.split(",") ?? [])
    addNetwork(networks, network.trim(), name("trusted-proxies"));
  return { trustedProxies: networks };
}

function addNetwork(networks: BlockList, network: string, name: string): void {
  const [address = "", prefix, ...rest] = network.split("/");
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (version === 0 || !isPrefix || rest.length > 0) {
    throw usageError(
      `${name} must be addresses or networks, separated by commas.`,
      "For example 127.0.0.1,10.0.0.0/8",
    );
  }
  networks.addSubnet(address, Number(prefix ?? bits), version === 4 ? "ipv4" : "ipv6");
}

type NetworkAdapter = { url: string; secret: string };

type StripeAccount = { stripe: { secretKey: string; baseUrl?: string } };

/**
 * Resolves `serve --network`, with secrets from the environment; undefined for the simulator. `setting` is where the
 * name was given. Errors: no such network, and those of `resolveAdapter` and `resolveStripe`.
 */
export function resolveNetwork(
  name: string,
  env: Environment,
  setting = "--network",
): NetworkAdapter | StripeAccount | undefined {
  if (name === "simulator") return undefined;
  if (name === "stripe") return resolveStripe(env);
  if (/^https?:/i.test(name)) return resolveAdapter(name, env, setting);
  throw usageError(
    `${setting} is neither simulator, nor stripe, nor an address.`,
    "Give stripe, or the https:// address of an adapter; docs/network-protocol.md describes how to write one.",
  );
}

/** Resolves the network whose books are compared, as PAYMENTS_NETWORK names it. Errors: it names none with books. */
export function resolveAttachedNetwork(env: Environment): NetworkAdapter | StripeAccount {
  const name = env["PAYMENTS_NETWORK"]?.trim() || undefined;
  const network = name === undefined ? undefined : resolveNetwork(name, env, "PAYMENTS_NETWORK");
  if (network) return network;
  throw usageError(
    name === undefined
      ? "PAYMENTS_NETWORK is not set."
      : "PAYMENTS_NETWORK is simulator. The built-in simulator moves no money, so it has no books.",
    "Set PAYMENTS_NETWORK to stripe, or to the adapter's address, as for payments serve, or compare with a file: --report FILE.",
  );
}

/** Text that a header can carry. */
const headerText = /^[\x20-\x7e]+$/;

/**
 * Resolves an adapter's address and its secret from the environment. Errors: a malformed address, one where
 * others could read card numbers, or no secret.
 */
export function resolveAdapter(
  address: string,
  env: Environment,
  setting = "The adapter's address",
): NetworkAdapter {
  const url = parseNetworkUrl(address, setting, env);
  const meaning = "the secret that the adapter requires, in ASCII characters";
  return { url, secret: readSecret(env, "PAYMENTS_NETWORK_SECRET", meaning) };
}

/** Errors: those of `resolveAdapter`, and a publishable key, which cannot charge. */
function resolveStripe(env: Environment): StripeAccount {
  const key = "PAYMENTS_STRIPE_SECRET_KEY";
  const meaning = "the secret key of your Stripe account, or of a sandbox for testing";
  const secretKey = readSecret(env, key, meaning);
  if (secretKey.startsWith("pk_")) {
    throw usageError(
      `${key} holds a publishable key, with which nothing can be charged.`,
      `Set it to ${meaning}.`,
    );
  }
  const address = env["PAYMENTS_STRIPE_BASE_URL"]?.trim();
  if (address === undefined) return { stripe: { secretKey } };
  return {
    stripe: { secretKey, baseUrl: parseNetworkUrl(address, "PAYMENTS_STRIPE_BASE_URL", env) },
  };
}

function parseNetworkUrl(address: string, name: string, env: Environment): string {
  const url = parseUrl(address, name);
  if (!isConfidential(url)) {
    throw usageError(
      "Card numbers would go to the card network without encryption. Nothing was sent.",
      `${name} must begin with https://, or on this machine be http://127.0.0.1.`,
    );
  }
  assertSafeTransport({ baseUrl: url, mode: "live" }, {}, env);
  return url;
}

function readSecret(env: Environment, name: string, meaning: string): string {
  const secret = env[name]?.trim() ?? "";
  if (headerText.test(secret)) return secret;
  throw usageError(
    secret === "" ? `${name} is not set.` : `${name} has characters that cannot be sent.`,
    `Set it to ${meaning}.`,
  );
}
