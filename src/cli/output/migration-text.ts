import type { ChalkInstance } from "chalk";
import { escapeControls } from "./safe-text.ts";

type Migration = { name: string };
type Migrated = {
  database: string;
  database_version: number;
  program_version: number;
  applied: readonly Migration[];
  pending: readonly Migration[];
};

/** What was done to a database's schema, or would be. */
export function formatMigration(migrated: Migrated, style: ChalkInstance): string {
  const { database, database_version: version, program_version, applied, pending } = migrated;
  const name = escapeControls(database);
  const steps = [
    ...applied.map((migration) => `${style.dim("Applied")}      ${migration.name}`),
    ...pending.map((migration) => `${style.dim("Would apply")}  ${migration.name}`),
  ];
  const state =
    version < program_version
      ? `${name} has schema version ${version}. Nothing was written.`
      : `${name} is up to date: schema version ${version}.`;
  return [...steps, state].join("\n");
}
