import type { ChalkInstance } from "chalk";
import { escapeControls } from "./safe-text.ts";
import { formatDetails } from "./table.ts";

type Backup = { file: string; size_bytes: number; payments: number; schema_version: number };

/** A backup that was made, for a person to read. */
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
