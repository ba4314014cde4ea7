import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { SettingsError } from "./settings-error.ts";

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
  const read = schema.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new SettingsError(
    "storage",
    `The file ${file} is damaged.`,
    "Mend it, or delete it (payments logout does, where it holds a key).",
  );
}

export function writeJsonFile(file: string, value: unknown): void {
  withTemporary(file, value, (temporary) => renameSync(temporary, file));
}

/** Writes a file unless there is one: of several processes doing so at once, one does. */
export function createJsonFile(file: string, value: unknown): void {
  withTemporary(file, value, (temporary) => {
    try {
      linkSync(temporary, file);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    rmSync(temporary);
  });
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

function withTemporary(file: string, value: unknown, place: (temporary: string) => void): void {
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
    place(temporary);
  } catch (error) {
    discard(temporary);
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unusable(file: string, error: unknown): SettingsError {
  const reason = error instanceof Error ? error.message : String(error);
  return new SettingsError(
    "storage",
    `The file ${file} cannot be used: ${reason}.`,
    "Check the permissions of its folder and the space on the disk, or set PAYMENTS_HOME to another folder.",
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
