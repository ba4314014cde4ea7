import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The path of a database file that is not there yet, in a folder that goes when the test has ended. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "payments-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "payments.db");
}
