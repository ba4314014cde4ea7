import type { ChalkInstance } from "chalk";
import { escapeControls } from "../../runtime/text.ts";
import { BaseCommand } from "../program/base-command.ts";
import { resolveDirectories } from "../config/blank-settings.ts";
import { openKeyring } from "../config/keyring.ts";
import { findTarget } from "../doctor/find-target.ts";
import { hasReachedAny, runDoctor, toReport } from "../doctor/run-doctor.ts";
import { CommandError } from "../output/command-error.ts";
import { connectionFlags, databaseFlag, networkFlag, outputFlags } from "../flags/flags.ts";
import type { DoctorCheck } from "../../contract/doctor.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class Doctor extends BaseCommand {
  static override summary = "Find out what is wrong, and what helps.";
  static override description =
    "Checks this machine, the service that commands use, the database that --database or PAYMENTS_DATABASE names, and the card network that PAYMENTS_NETWORK names. It changes nothing. Exits with 1 when a check fails, and with 9 when neither a service nor a database can be reached.";
  static override examples = [
    "payments doctor",
    "payments doctor --base-url https://payments.example.com --json",
    "payments doctor --database sqlite:payments.db",
  ];
  static override flags = {
    network: networkFlag("The card network of the service: stripe, or an adapter's address."),
    ...databaseFlag,
    mode: connectionFlags.mode,
    "base-url": connectionFlags["base-url"],
    "allow-http": connectionFlags["allow-http"],
    "api-key-file": connectionFlags["api-key-file"],
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: {
      fault: "a check fails",
      unavailable: "neither a service nor a database can be reached",
    },
    output: {
      object: "doctor",
      fields: [
        "object",
        "ok",
        "warned",
        "failed",
        "checks[].group",
        "checks[].name",
        "checks[].status",
        "checks[].detail",
        "checks[].help",
      ],
    },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const output = this.parseOutput(flags);
    const { env } = process;
    const keyring = openKeyring(env);
    const { database, network } = flags;
    const running = runDoctor({
      target: await findTarget(flags, env, keyring),
      env,
      directories: resolveDirectories(env),
      keyring,
      database,
      network,
      version: this.config.version,
    });
    const checks: DoctorCheck[] = [];
    for await (const check of running) {
      const isFirst = check.group !== checks.at(-1)?.group;
      checks.push(check);
      if (output.format !== "table") continue;
      await this.write(`${formatCheck(check, this.style, { isFirst })}\n`);
    }
    const report = toReport(checks);
    const columns = ["group", "name", "status", "detail", "help"];
    if (output.format !== "table")
      await this.show({ value: report, records: checks, columns, text: () => "" }, output);
    if (!hasReachedAny(checks))
      throw new CommandError("unavailable", "Neither a service nor a database can be reached.");
    if (report.failed > 0)
      throw new CommandError("fault", `${report.failed} of ${checks.length} checks fail.`);
  }
}

const groupHeadings: Record<DoctorCheck["group"], string> = {
  machine: "This machine",
  service: "The service",
  database: "The database",
  network: "The card network",
};

/** A line for a check, and one for what helps; before the first check of a group its heading. */
function formatCheck(
  { group, name, status, detail, help }: DoctorCheck,
  style: ChalkInstance,
  { isFirst }: { isFirst: boolean },
): string {
  const word = { ok: style.green("ok"), warn: style.yellow("warn"), fail: style.red("FAIL") };
  const padding = " ".repeat(6 - status.length);
  const title = name.replaceAll("_", " ");
  return [
    ...(isFirst ? [style.bold(groupHeadings[group])] : []),
    `  ${word[status]}${padding}${title}: ${escapeControls(detail)}`,
    ...(help === null ? [] : [`        ${style.dim(escapeControls(help))}`]),
  ].join("\n");
}
