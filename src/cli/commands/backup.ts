import { escapeControls } from "../../runtime/text.ts";
import { BaseCommand } from "../program/base-command.ts";
import { usageError } from "../output/command-error.ts";
import { resolveDatabase } from "../config/resolve-settings.ts";
import { databaseFlag, outputFlags, requiredArg } from "../flags/flags.ts";
import { watchInterruption } from "../output/interruption.ts";
import type { CommandFacts } from "../output/command-facts.ts";

export default class Backup extends BaseCommand {
  static override summary = "Copy a SQLite database into a new file, while services use it.";
  static override description =
    "The copy is checked, and has every payment that was created before the command started. An existing file is never replaced. To restore, stop every service and command that uses the database, move its -wal and -shm files away, and replace the database with the copy.";
  static override examples = [
    "payments backup payments-backup.db",
    "payments backup payments-backup.db --database sqlite:payments.db --json",
  ];
  static override args = {
    file: requiredArg("The file to create; its folder must exist."),
  };
  static override flags = { ...databaseFlag, ...outputFlags };
  static facts: CommandFacts = {
    writes: "nothing",
    repeatable: "always",
    exits: { unavailable: "the database cannot be read, or the file cannot be written" },
    output: {
      object: "backup",
      fields: ["object", "file", "size_bytes", "payments", "schema_version", "database"],
    },
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Backup);
    const output = this.parseOutput(flags);
    if (args.file === "-") {
      throw usageError("A backup is a file, and cannot go to standard output.", "Name the file.");
    }
    const database = resolveDatabase(flags.database, process.env);
    using interruption = watchInterruption({ hasPrompted: false });
    const { backUpDatabase } = await import("../../service/server/back-up-database.ts");
    const report = await backUpDatabase(database, args.file, interruption.signal);
    await this.show(
      {
        value: report,
        text: async () => {
          const { formatDetails } = await import("../output/table.ts");
          const details: [string, string][] = [
            ["Backup", escapeControls(report.file)],
            ["Size", `${report.size_bytes} bytes`],
            ["Payments", String(report.payments)],
            ["Schema", `version ${report.schema_version}`],
          ];
          return formatDetails(details, this.style);
        },
      },
      output,
      `The backup ${report.file} was made.`,
    );
  }
}
