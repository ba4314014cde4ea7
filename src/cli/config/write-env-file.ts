import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { describeFsError, expandHome, findFile } from "../../runtime/user-files.ts";
import { CommandError, usageError } from "../output/command-error.ts";

// The file of --write-env: `KEY=value` lines for programs that are started elsewhere. It is there as long as its command.

/** A file of `--write-env`. Its head says whose it is. */
export type EnvFile = { path: string; head: string };

/**
 * The file that this process is to write. Errors: there is one already, unless it is one whose process is gone; it is
 * written, and deleted, by the functions below.
 */
export function claimEnvFile(typed: string, writer: "sandbox" | "listen"): EnvFile {
  const path = resolve(expandHome(typed));
  assertReplaceable(path);
  return { path, head: `# payments ${writer}, process ${process.pid}` };
}

/** Errors: another program has written the file since; a value that no shell and Node read alike. */
export function writeEnvFile({ path, head }: EnvFile, variables: Record<string, string>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`);
  assertReplaceable(path);
  touchFile(() => {
    rmSync(path, { force: true });
    const file = openSync(path, "wx", 0o600);
    try {
      writeFileSync(file, [head, ...lines, ""].join("\n"));
    } catch (error) {
      rmSync(path, { force: true }); // the next command would take the beginning of it for another's
      throw error;
    } finally {
      closeSync(file);
    }
  });
}

/** Deletes the file, unless it is no longer the one that was written. */
export function deleteEnvFile({ path, head }: EnvFile): void {
  touchFile(() => {
    if (readHead(path) === head) rmSync(path);
  });
}

function assertReplaceable(path: string): void {
  const head = touchFile(() => readHead(path));
  if (head === undefined) return;
  const [, id] = /^# payments (?:sandbox|listen), process (\d+)$/.exec(head) ?? [];
  if (id === undefined) {
    throw usageError(
      "The file of --write-env is there already, and no payments command has written it.",
      "Give another file, or delete this one.",
    );
  }
  if (!isPayments(Number(id))) return;
  throw usageError(
    `The file of --write-env belongs to process ${id}, which is still running.`,
    "Give another file, or end that process.",
  );
}

function readHead(path: string): string | undefined {
  const file = findFile(path);
  return file === undefined ? undefined : readFileSync(file, "utf8").split("\n", 1)[0];
}

/** Whether another process with this id is a `payments`: in containers, ids come again. */
function isPayments(id: number): boolean {
  if (id === process.pid) return false;
  try {
    return listWords(id).some((word) => /^(?:payments(?:\.exe)?|run\.js)$/.test(basename(word)));
  } catch {
    return false; // it is gone
  }
}

/** The program of a process, and what stands after it on its command line. */
function listWords(id: number): string[] {
  if (existsSync("/proc/self")) return readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
  const args = ["-o", "args=", "-p", String(id)];
  return execFileSync("ps", args, { encoding: "utf8", stdio: "pipe" }).split(" ");
}

/** A shell knows no other way to write both quotes in one word than Node does not read. */
function quote(value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return value;
  if (!/['\n\r]/.test(value)) return `'${value}'`;
  if (!/["$`\\!\n\r]/.test(value)) return `"${value}"`;
  throw usageError(
    "The name of the folder for temporary files cannot be written into --write-env.",
  );
}

function touchFile<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { reason, remedy } = describeFsError(error);
    throw new CommandError(
      "unavailable",
      `The file of --write-env cannot be used: ${reason}.`,
      `${remedy}, or give another file.`,
    );
  }
}
