import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { integerFlag, switchFlag, textFlag } from "./flag-kinds.ts";
import { databaseFlag, addressFlags, networkFlag } from "./flags.ts";
import { withVariables } from "./setting-names.ts";

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

export type ServeFlags = InferredFlags<typeof serveFlags>;
