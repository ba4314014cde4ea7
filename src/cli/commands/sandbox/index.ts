import { once } from "node:events";
import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../../program/base-command.ts";
import { claimEnvFile, deleteEnvFile, writeEnvFile } from "../../config/write-env-file.ts";
import { untilSignal } from "../../output/interruption.ts";
import { envFileFlag, outputFlags } from "../../flags/flags.ts";
import { describeSandbox, openSandbox } from "../../sandbox/open-sandbox.ts";
import { parseStartFlags, startFlags } from "../../sandbox/start-flags.ts";
import type { CommandFacts } from "../../output/command-facts.ts";

export default class Sandbox extends BaseCommand {
  static override summary =
    "Run a payments service for tests, with a clock that you move and faults that you set.";
  static override description =
    "The whole service, over a database in memory, with keys that are the same in every version. The commands below start it over, move its time on, and let requests go wrong; docs/testing.md explains them.";
  static override examples = [
    "payments sandbox",
    "payments sandbox --clock manual --seed 1 --port 0 --json",
  ];
  static override flags = {
    ...startFlags,
    ...envFileFlag,
    json: Flags.boolean({ ...outputFlags.json, summary: "Print the line as JSON." }),
  };
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: {
      done: "ended by a signal: Ctrl-C, SIGTERM or SIGHUP",
      unavailable: "the port or the database cannot be used",
    },
    signals: "before it was ready",
    output: {
      object: null,
      fields: [
        "event",
        "url",
        "all_interfaces",
        "keys.test",
        "keys.live",
        "account",
        "dashboard_url",
      ],
    },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Sandbox);
    this.endWithReader();
    const wanted = parseStartFlags(flags);
    const path = flags["write-env"];
    const envFile = path === undefined ? undefined : claimEnvFile(path, "sandbox");
    const running = await openSandbox(wanted, this.config.version);
    const { signal } = untilSignal(); // before the line that says that it runs
    const { url, allInterfaces, keys, account, dashboardUrl } = running;
    const listening = {
      event: "listening",
      url,
      ...(allInterfaces && { all_interfaces: true }),
      keys,
      account,
      dashboard_url: dashboardUrl,
    };
    const text = () =>
      `Sandbox at ${url}${allInterfaces ? " (all interfaces)" : ""}\nTest key: ${keys.test}\nDashboard: ${dashboardUrl}\nLog in with payments login --sandbox --base-url ${url}`;
    try {
      if (envFile) writeEnvFile(envFile, describeSandbox(url, account));
      await this.show({ value: listening, text }, this.parseOutput(flags));
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      if (envFile) deleteEnvFile(envFile);
      await running.close(); // also where the line could not be printed
    }
  }
}
