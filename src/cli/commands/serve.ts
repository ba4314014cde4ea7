import { once } from "node:events";
import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../program/base-command.ts";
import { resolveServeSettings, serveFlags } from "../config/serve-settings.ts";
import { untilSignal } from "../output/interruption.ts";
import { outputFlags } from "../flags/flags.ts";
import { nameSettings } from "../flags/checked-values.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class Serve extends BaseCommand {
  static override summary = "Run the service.";
  static override description =
    "Prints one line to standard output once it listens; logs go to standard error. SIGTERM, SIGINT and SIGHUP (a terminal that is closed) finish what is in flight and end it.";
  static override examples = [
    "payments serve",
    "payments serve --port 0 --json --database sqlite:payments.db",
  ];
  static override flags = {
    ...serveFlags,
    json: Flags.boolean({ ...outputFlags.json, summary: "Print the line as JSON." }),
  };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "always",
    exits: {
      done: "ended by a signal: Ctrl-C, SIGTERM or SIGHUP",
      unavailable: "the database, the port or the card network cannot be used",
    },
    signals: "before it was ready",
    output: {
      object: null,
      fields: ["event", "url", "all_interfaces", "metrics_url", "version", "pid"],
    },
  };

  async run(): Promise<void> {
    const { flags, raw } = await this.parse(Serve);
    this.endWithReader();
    const { version } = this.config;
    const settings = resolveServeSettings(flags, nameSettings(raw, process.env), process.env);
    const { runService } = await import("../../service/server/run-service.ts");
    const warnings = await this.listWarnings();
    const running = await runService(flags["log-level"], { ...settings, version }, warnings);
    const { signal } = untilSignal(); // before the line that says that it runs
    const { allInterfaces, metricsUrl } = running;
    const listening = {
      event: "listening",
      url: running.url,
      ...(allInterfaces && { all_interfaces: true }),
      ...(metricsUrl !== undefined && { metrics_url: metricsUrl }),
      version,
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

  private async listWarnings(): Promise<string[]> {
    const { describeUnknownVariables } = await import("../help/environment.ts");
    const settings = Object.values(serveFlags).flatMap(({ env }) => env ?? []);
    return describeUnknownVariables(process.env, settings);
  }
}
