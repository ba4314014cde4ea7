import { appendFileSync, closeSync, fchmodSync, ftruncateSync, openSync } from "node:fs";
import type { SandboxRequest } from "../../contract/sandbox.ts";
import { type FsError, describeFsError, expandHome, findFile } from "../../runtime/user-files.ts";
import { writeJson } from "../../runtime/text.ts";
import { CommandError } from "../output/command-error.ts";

/** How many of the requests that went wrong are remembered. */
const maxWrong = 10;

/** The requests of a command in a sandbox, the whole of them in a file where one is named. */
export type Journal = Disposable & {
  /** Counts the requests from now on: earlier ones are not the command's. */
  begin: () => void;
  add: (request: SandboxRequest) => void;
  count: number;
  /** The last ones that were refused, failed or met a fault. */
  wrong: SandboxRequest[];
  /** Why the file ends before the last request: its disk became full. */
  failure?: FsError;
};

/** Errors: the file cannot be written now. The command goes on where it cannot be later. */
export function openJournal(path: string | undefined): Journal {
  const file = path === undefined ? undefined : openNewFile(expandHome(path));
  let hasBegun = false;
  let writtenBytes = 0;
  const write = (line: string) => {
    if (file === undefined || journal.failure) return;
    try {
      appendFileSync(file, line);
      writtenBytes += Buffer.byteLength(line);
    } catch (error) {
      journal.failure = describeFsError(error);
      ftruncateSync(file, writtenBytes); // after the last whole line
    }
  };
  const journal: Journal = {
    begin: () => (hasBegun = true),
    add: (request) => {
      if (!hasBegun) return;
      journal.count++;
      write(`${writeJson(request)}\n`);
      if (!isWrong(request)) return;
      journal.wrong.push(request);
      if (journal.wrong.length > maxWrong) journal.wrong.shift();
    },
    count: 0,
    wrong: [],
    [Symbol.dispose]: () => {
      if (file !== undefined) closeSync(file);
    },
  };
  return journal;
}

function isWrong({ status, fault }: SandboxRequest): boolean {
  return status === null || status >= 400 || fault !== null;
}

function openNewFile(path: string): number {
  try {
    findFile(path); // opening a pipe might never return
    const file = openSync(path, "w", 0o600);
    fchmodSync(file, 0o600); // of one that was there
    return file;
  } catch (error) {
    const { reason, remedy } = describeFsError(error);
    throw new CommandError(
      "unavailable",
      `The file of --keep-journal cannot be written: ${reason}.`,
      `${remedy}, or give another file.`,
    );
  }
}
