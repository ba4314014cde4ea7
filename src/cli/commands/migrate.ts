import type { ChalkInstance } from "chalk";
import { escapeControls } from "../../runtime/text.ts";
import { BaseCommand } from "../program/base-command.ts";
import { resolveDatabase, isDatabaseNamed } from "../config/resolve-settings.ts";
import { databaseFlag, outputFlags, switchFlag } from "../flags/flags.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class Migrate extends BaseCommand {
  static override summary = "Bring a database's schema up to date.";
  static override description =
    "The service does this itself when it starts. Run it yourself where the service may not change the schema.";
  static override examples = [
    "payments migrate --dry-run",
    "payments migrate --database sqlite:payments.db --json",
  ];
  static override flags = {
    "dry-run": switchFlag("Show what would be done, and write nothing."),
    ...databaseFlag,
    ...outputFlags,
  };
  static facts: CommandFacts = {
    writes: "database",
    repeatable: "always",
    exits: { unavailable: "the database cannot be used, or a service has a newer version" },
    output: {
      object: "migration",
      fields: [
        "object",
        "database",
        "database_version",
        "program_version",
        "applied[].version",
        "applied[].name",
        "pending[].version",
        "pending[].name",
      ],
    },
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Migrate);
    const output = this.parseOutput(flags);
    const database = resolveDatabase(flags.database, process.env);
    const { migrateDatabase, planMigration } =
      await import("../../service/server/migrate-database.ts");
    const isNamed = isDatabaseNamed(flags.database, process.env);
    const report = flags["dry-run"]
      ? await planMigration(database, { isNamed })
      : await migrateDatabase(database);
    const { applied, pending } = report;
    await this.show(
      {
        value: report,
        records: [
          ...applied.map(({ version, name }) => ({ version, name, state: "applied" })),
          ...pending.map(({ version, name }) => ({ version, name, state: "pending" })),
        ],
        columns: ["version", "name", "state"],
        text: () => formatMigration(report, this.style),
      },
      output,
      applied.length > 0 ? "The migrations were applied." : undefined,
    );
  }
}

type Migration = {
  database: string;
  database_version: number;
  program_version: number;
  applied: readonly { name: string }[];
  pending: readonly { name: string }[];
};

/** Lists the migrations that were applied, or would be. */
function formatMigration(migration: Migration, style: ChalkInstance): string {
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
