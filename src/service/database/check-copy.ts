import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Unavailable } from "../../runtime/failures.ts";
import { createChildEnvironment, findProgramBeside } from "../../runtime/child-programs.ts";

export type CheckedCopy = { schemaVersion: number; payments: number };
/** `damage`: the fault of the copy; `refusal`: the reason, a clause, why it could not be checked. */
export type CheckResult = CheckedCopy | { damage: string } | { refusal: string };

const run = promisify(execFile);

/**
 * Checks a copied database, and makes it one file without a -wal file beside it. That blocks for seconds per GiB, so
 * a separate process does it, which `signal` ends.
 */
export async function checkCopy(file: string, signal: AbortSignal): Promise<CheckedCopy> {
  const result = await runCheck(file, signal);
  if ("payments" in result) return result;
  throw new Unavailable(
    "damage" in result
      ? `The copy did not pass its check (${result.damage}) and was removed. Try again; if that does not help, the database itself is damaged.`
      : `The copy could not be checked and was removed: ${result.refusal}.`,
  );
}

async function runCheck(file: string, signal: AbortSignal): Promise<CheckResult> {
  try {
    const env = createChildEnvironment(process.env);
    const options = { env, signal, killSignal: "SIGKILL", windowsHide: true } as const;
    const { stdout } = await run(
      process.execPath,
      [findProgramBeside(import.meta.url, "check-process"), file],
      options,
    );
    return JSON.parse(stdout) as CheckResult;
  } catch {
    signal.throwIfAborted();
    return { refusal: "the process that checks it has failed; try again" };
  }
}
