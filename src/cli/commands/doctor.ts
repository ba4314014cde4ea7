import type { ChalkInstance } from "chalk";
import { escapeControls } from "../../runtime/text.ts";
import { BaseCommand, type Output } from "../program/base-command.ts";
import { listContextNames } from "../config/contexts.ts";
import { embedded } from "../config/profile.ts";
import { resolveDirectories } from "../config/blank-settings.ts";
import { openKeyring } from "../config/keyring.ts";
import { findTarget } from "../doctor/service-checks.ts";
import { hasReachedAny, runDoctor, toReport } from "../doctor/run-doctor.ts";
import { CommandError } from "../output/command-error.ts";
import {
  connectionFlags,
  databaseFlag,
  networkFlag,
  outputFlags,
  switchFlag,
} from "../flags/flags.ts";
import type { DoctorCheck, DoctorReport } from "../../contract/doctor.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class Doctor extends BaseCommand {
  static override summary = "Find out what is wrong, and what helps.";
  static override description =
    "Checks this machine, the service that commands use, the database that --database or PAYMENTS_DATABASE names, and the card network that PAYMENTS_NETWORK names. It changes nothing. Exits with 1 when a check fails, and with 9 when neither a service nor a database can be reached.";
  static override examples = [
    "payments doctor",
    "payments doctor --base-url https://payments.example.com --json",
    "payments doctor --database sqlite:payments.db",
    "payments doctor --all-contexts",
  ];
  static override flags = {
    network: networkFlag("The card network of the service: stripe, or an adapter's address."),
    ...databaseFlag,
    "all-contexts": switchFlag("Check each context, and not only the one in use.", {
      exclusive: ["context", "base-url", "api-key-file"],
      helpGroup: "CONNECTION",
    }),
    context: connectionFlags.context,
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
        "data[].context",
        "data[].checks",
      ],
    },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const output = this.parseOutput(flags);
    const columns = ["group", "name", "status", "detail", "help"];
    if (!flags["all-contexts"]) {
      const report = toReport(await this.check(flags, output));
      if (output.format !== "table")
        await this.show({ value: report, records: report.checks, columns, text: () => "" }, output);
      assertSound([report]);
      return;
    }
    const directories = resolveDirectories(process.env);
    const data: (DoctorReport & { context: string })[] = [];
    for (const context of [...listContextNames(directories), embedded]) {
      if (output.format === "table") await this.write(`${this.style.bold(`Context ${context}`)}\n`);
      data.push({ context, ...toReport(await this.check({ ...flags, context }, output)) });
    }
    const failed = data.reduce((sum, report) => sum + report.failed, 0);
    const records = data.flatMap(({ context, checks }) =>
      checks.map((check) => ({ context, ...check })),
    );
    const value = { object: "list", failed, data };
    if (output.format !== "table")
      await this.show({ value, records, columns: ["context", ...columns], text: () => "" }, output);
    assertSound(data);
  }

  /** Runs the checks of one place, and prints each as it ends where a person reads them. */
  private async check(flags: CheckFlags, { format }: Output): Promise<DoctorCheck[]> {
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
      if (format === "table") await this.write(`${formatCheck(check, this.style, { isFirst })}\n`);
    }
    return checks;
  }
}

type CheckFlags = Parameters<typeof findTarget>[0] &
  Record<"database" | "network", string | undefined>;

/** Errors: a check fails; nothing was reached at all. */
function assertSound(reports: readonly DoctorReport[]): void {
  if (!reports.some(({ checks }) => hasReachedAny(checks)))
    throw new CommandError("unavailable", "Neither a service nor a database can be reached.");
  const checks = reports.flatMap((report) => report.checks);
  const failed = reports.reduce((sum, report) => sum + report.failed, 0);
  if (failed > 0) throw new CommandError("fault", `${failed} of ${checks.length} checks fail.`);
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
