import type { ChalkInstance } from "chalk";
import type { DoctorCheck } from "../../contract/doctor.ts";
import { escapeControls } from "../../runtime/text.ts";
import { formatDetails } from "./table.ts";

// The reports of `backup`, `migrate`, `network check` and `doctor` for a person.

type Backup = { file: string; size_bytes: number; payments: number; schema_version: number };

export function formatBackup(backup: Backup, style: ChalkInstance): string {
  return formatDetails(
    [
      ["Backup", escapeControls(backup.file)],
      ["Size", `${backup.size_bytes} bytes`],
      ["Payments", String(backup.payments)],
      ["Schema", `version ${backup.schema_version}`],
    ],
    style,
  );
}

type Migration = {
  database: string;
  database_version: number;
  program_version: number;
  applied: readonly { name: string }[];
  pending: readonly { name: string }[];
};

/** Lists the migrations that were applied, or would be. */
export function formatMigration(migration: Migration, style: ChalkInstance): string {
  const { database_version: version, program_version, applied, pending } = migration;
  const database = escapeControls(migration.database);
  return [
    ...applied.map(({ name }) => `${style.dim("Applied")}      ${name}`),
    ...pending.map(({ name }) => `${style.dim("Would apply")}  ${name}`),
    version < program_version
      ? `${database} has schema version ${version}. Nothing was written.`
      : `${database} is up to date: schema version ${version}.`,
  ].join("\n");
}

type Check = { name: string; ok: boolean; detail: string };

export function formatNetworkCheck(checks: readonly Check[], style: ChalkInstance): string {
  return checks
    .map(({ name, ok, detail }) =>
      ok
        ? `${style.green("ok")}    ${name}${detail && `: ${escapeControls(detail)}`}`
        : `${style.red("FAIL")}  ${name}: ${escapeControls(detail)}`,
    )
    .join("\n");
}

const groupHeadings: Record<DoctorCheck["group"], string> = {
  machine: "This machine",
  service: "The service",
  database: "The database",
  network: "The card network",
};

/** A line for a check, and one for what helps; before the first check of a group its heading. */
export function formatDoctorCheck(
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
