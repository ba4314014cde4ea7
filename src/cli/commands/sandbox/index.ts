import { once } from "node:events";
import * as Flags from "@oclif/core/flags";
import { BaseCommand } from "../../program/base-command.ts";
import { PaymentsClient } from "../../../client/client.ts";
import { clockModes, sandboxKeys } from "../../../contract/field-values.ts";
import { untilSignal } from "../../errors/interruption.ts";
import { addressFlags, outputFlags, textFlag, varFlag } from "../../flags/flags.ts";
import { parseVars } from "../../flags/checked-values.ts";

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
    ...addressFlags,
    clock: Flags.option({
      summary: "Whether the time runs, or stands still until it is moved on.",
      options: clockModes,
      default: "real",
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
    json: Flags.boolean({ ...outputFlags.json, summary: "Print the line as JSON." }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Sandbox);
    this.endWithReader();
    const { host, port, clock, seed, database = "sqlite::memory:" } = flags;
    const prepare = await prepareFixtures(flags.fixtures ?? [], parseVars(flags.var ?? []));
    const { serveSandbox } = await import("../../../service/server/serve-sandbox.ts");
    const { version } = this.config;
    const running = await serveSandbox({ host, port, clock, seed, database, version, prepare });
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
      await this.show({ value: listening, text }, this.parseOutput(flags));
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      await running.close(); // also where the line could not be printed
    }
  }
}

/** Checks the fixtures; the returned function makes them in a sandbox that has just begun. */
async function prepareFixtures(
  paths: readonly string[],
  vars: Map<string, string>,
): Promise<((url: string) => Promise<void>) | undefined> {
  if (paths.length === 0) return undefined;
  const { loadFixtures } = await import("../../fixtures/read-fixtures.ts");
  const { runFixtures } = await import("../../fixtures/run-fixtures.ts");
  // A sandbox begins empty, so that the same name serves each run: what is made repeats with the seed.
  const run = "sandbox";
  const steps = await loadFixtures(paths, { vars, run });
  return async (url) => {
    // Everyone knows the key: on --host of this network it may go over plain http.
    const client = new PaymentsClient({ baseUrl: url, apiKey: sandboxKeys.test, allowHttp: true });
    try {
      await runFixtures(client, steps, { run, onDone: () => {} });
    } finally {
      await client.close();
    }
  };
}
