import { once } from "node:events";
import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { clockModes, signingTimes } from "../../../contract/field-values.ts";
import { claimEnvFile, deleteEnvFile, writeEnvFile } from "../../config/write-env-file.ts";
import { parseUrl, parseVars } from "../../flags/checked-values.ts";
import { addressFlags, envFileFlag, outputFlags, textFlag, varFlag } from "../../flags/flags.ts";
import type { CommandFacts } from "../../output/command-facts.ts";
import { untilSignal } from "../../output/interruption.ts";
import { BaseCommand } from "../../program/base-command.ts";
import {
  type WantedSandbox,
  describeSandbox,
  inMemory,
  openSandbox,
} from "../../sandbox/open-sandbox.ts";

/** The flags of a sandbox that is started. */
export const startFlags = {
  ...addressFlags,
  "public-url": textFlag(
    "Where payment pages and the dashboard's link lead. Default: to the address that it listens on.",
    "<url>",
  ),
  clock: Flags.option({
    summary: "Whether the time runs, or stands still until it is moved on.",
    options: clockModes,
    default: "real",
  })(),
  "sign-at": Flags.option({
    summary: "Sign webhooks at the sandbox's time, or at the real time (wall).",
    options: signingTimes,
    default: "sandbox",
  })(),
  seed: textFlag("Repeat ids, secrets and delays of the run with the same seed.", "<seed>"),
  fixtures: Flags.string({
    summary:
      "Make what this file describes, at the start and at each reset. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<path>",
  }),
  var: varFlag,
  database: textFlag(
    "A database that does not exist yet, or that a sandbox made: it is erased. Default: in memory.",
    "<database>",
  ),
};

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

export function parseStartFlags(flags: InferredFlags<typeof startFlags>): WantedSandbox {
  const { host, port, clock, seed, fixtures = [], database = inMemory } = flags;
  const url = flags["public-url"];
  return {
    host,
    port,
    clock,
    seed,
    signAt: flags["sign-at"],
    publicUrl: url === undefined ? undefined : parseUrl(url, "--public-url"),
    database,
    fixtures,
    vars: [...parseVars(flags.var ?? [])],
  };
}
