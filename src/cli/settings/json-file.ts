import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { fileAt, fileErrorCode, makeFolder, troubleOf } from "../../contract/owned-files.ts";
import { parsedJson } from "../../contract/text.ts";
import { CommandError } from "../endings/command-error.ts";

// Small files that only their owner may read. Each is replaced as a whole, so that neither an
// interruption nor a full disk leaves half of one. Where a link stands in its place the file that it
// leads to is read, replaced and deleted: people keep their settings elsewhere and link to them.

/** What a file holds, or undefined where there is none. Errors: it is not what it `isTo` be. */
export function readJsonFile<Value>(
  file: string,
  isTo: (value: unknown) => value is Value,
): Value | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  if (isTo(value)) return value;
  throw new CommandError(
    "unavailable",
    `The file ${file} is damaged.`,
    "Mend it, or delete it (payments logout does, where it holds a key).",
  );
}

export function writeJsonFile(file: string, value: unknown): void {
  try {
    makeFolder(dirname(file));
    replace(fileAt(file) ?? file, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Gives whether there was such a file. What a link leads to goes with it: it may hold a key. */
export function deleteFile(file: string): boolean {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return false;
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) rmSync(realpathSync(file));
    rmSync(file, { force: true });
    return true;
  } catch (error) {
    throw unusable(file, error);
  }
}

function readText(file: string): string | undefined {
  try {
    return fileAt(file) === undefined ? undefined : readFileSync(file, "utf8");
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return undefined; // gone in the meantime
    throw unusable(file, error);
  }
}

/** The new file stands beside the old one, on the same disk, until it is whole. */
function replace(file: string, text: string): void {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

function discard(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch {
    // What went wrong first is what is told.
  }
}

function unusable(file: string, error: unknown): CommandError {
  const { reason, remedy } = troubleOf(error);
  return new CommandError(
    "unavailable",
    `The file ${file} cannot be used: ${reason}.`,
    `${remedy}, or set PAYMENTS_HOME to another folder.`,
  );
}
