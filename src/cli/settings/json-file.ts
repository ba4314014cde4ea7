import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { parsedJson } from "../../contract/text.ts";
import { CommandError } from "../endings/command-error.ts";

// Small files that only their owner may read. Each is replaced as a whole, so that neither an
// interruption nor a full disk leaves half of one.

/** What a file holds, or undefined where there is none. */
export function readJsonFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): z.output<Schema> | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unusable(file, error);
  }
  const read = schema.safeParse(parsedJson(text));
  if (read.success) return read.data;
  throw new CommandError(
    "unavailable",
    `The file ${file} is damaged.`,
    "Mend it, or delete it (payments logout does, where it holds a key).",
  );
}

export function writeJsonFile(file: string, value: unknown): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(temporary, "w", 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify(value, null, 2)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw unusable(file, error);
  }
}

/** Gives whether there was such a file. */
export function deleteFile(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw unusable(file, error);
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
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError(
    "unavailable",
    `The file ${file} cannot be used: ${reason}.`,
    "Check the permissions of its folder and the space on the disk, or set PAYMENTS_HOME to another folder.",
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
