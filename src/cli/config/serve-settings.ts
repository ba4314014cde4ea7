import { isIP } from "node:net";
import type { runService } from "../../service/server/run-service.ts";
import { usageError } from "../errors/command-error.ts";
import { parseDashboardSettings } from "../parse/dashboard-settings.ts";
import type { ServeFlags } from "../parse/serve-flags.ts";
import type { NameSetting } from "../parse/setting-names.ts";
import { parseDuration } from "../parse/time.ts";
import type { Environment } from "./directories.ts";
import { resolveNetwork } from "./network-settings.ts";
import { parseUrl, resolveDatabase } from "./resolve-settings.ts";

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
