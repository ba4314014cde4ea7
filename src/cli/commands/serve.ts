import { once } from "node:events";
import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../base/base-command.ts";
import { usageError } from "../errors/command-error.ts";
import { untilSignal } from "../errors/interruption.ts";
import {
  databaseFlag,
  integerFlag,
  listenFlags,
  networkFlag,
  outputFlags,
  textFlag,
  switchFlag,
} from "../parse/flags.ts";
import { parseDashboardSettings } from "../parse/dashboard-settings.ts";
import { parseDuration } from "../parse/time.ts";
import { resolveDatabase, parseUrl } from "../config/resolve-settings.ts";
import { resolveNetwork } from "../config/network-settings.ts";

export default class Serve extends BaseCommand {
  static override summary = "Run the service.";
  static override description =
    "Prints one line to standard output once it listens; logs go to standard error. SIGTERM, SIGINT and SIGHUP (a terminal that is closed) finish what is in flight and end it.";
  static override examples = [
    "payments serve",
    "payments serve --port 0 --json --database sqlite:payments.db",
  ];
  static override flags = {
    ...listenFlags,
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
    ),
    dashboard: switchFlag("Serve the dashboard for operators at /dashboard.", {
      env: "PAYMENTS_DASHBOARD",
    }),
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
    json: Flags.boolean({ ...outputFlags.json, summary: "Print the line as JSON." }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve);
    const { "public-url": url, "metrics-port": metricsPort, "webhook-schedule": steps } = flags;
    const publicUrl = url === undefined ? undefined : parseUrl(url, "--public-url");
    if (metricsPort && metricsPort === flags.port) {
      throw usageError("--metrics-port must be another port than --port.");
    }
    const schedule = steps === undefined ? undefined : parseSchedule(steps);
    const dashboard = parseDashboardSettings(flags.dashboard, flags["trusted-proxies"], {
      host: flags.host,
      publicUrl,
    });
    const network = resolveNetwork(flags.network, process.env);
    const { runService } = await import("../../service/server/run-service.ts");
    const running = await runService(flags["log-level"], {
      database: resolveDatabase(flags.database, process.env),
      host: flags.host,
      port: flags.port,
      ...(metricsPort !== undefined && { metricsPort }),
      ...(publicUrl !== undefined && { publicUrl }),
      processingTimeMs: parseDuration(flags["processing-time"], "--processing-time"),
      hppExpiryMs: parseDuration(flags["hpp-expiry"], "--hpp-expiry", "365d"),
      ...(network && { network }),
      ...(dashboard && { dashboard }),
      webhooks: {
        eventRetentionMs: parseDuration(flags["event-retention"], "--event-retention", "3650d"),
        allowsPrivate: flags["webhook-allow-private"],
        ...(schedule && { schedule }),
      },
      requestLogMs: parseRetention(flags["request-log"]),
      rateLimit: flags["rate-limit"],
      version: this.config.version,
    });
    const { signal } = untilSignal(); // before the line that says that it runs
    const { allInterfaces, metricsUrl } = running;
    const listening = {
      event: "listening",
      url: running.url,
      ...(allInterfaces && { all_interfaces: true }),
      ...(metricsUrl !== undefined && { metrics_url: metricsUrl }),
      version: this.config.version,
      pid: process.pid,
    };
    const metricsText = metricsUrl === undefined ? "" : `, metrics and probes on ${metricsUrl}`;
    const reach = allInterfaces ? " (all interfaces)" : "";
    const text = () => `Listening on ${running.url}${reach}${metricsText}`;
    try {
      await this.show({ value: listening, text }, this.parseOutput(flags));
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      await running.close(); // also where the line could not be printed
    }
  }
}

/** `off` keeps nothing. */
function parseRetention(text: string): number {
  return text === "off" ? 0 : parseDuration(text, "--request-log", "3650d");
}

const maxSteps = 100;

function parseSchedule(text: string): number[] {
  const steps = text.split(",").map((step) => parseDuration(step.trim(), "--webhook-schedule"));
  if (steps.length > maxSteps)
    throw usageError(`--webhook-schedule must have at most ${maxSteps} steps.`);
  return steps;
}
