import { lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, parse } from "node:path";
import { findFile, makeFolder, describeFsError } from "../../runtime/user-files.ts";
import { CommandError } from "../errors/command-error.ts";
import openConf from "./conf.cjs";

// Small files that only their owner may read. Each is replaced as a whole, so that neither an
// interruption nor a full disk leaves half of one. Links are followed, since users may store their
// settings elsewhere and link to them: the file behind a link is read, replaced and deleted.

/** The content of a file, or undefined where there is none. Errors: it is damaged. */
export function readJsonFile<Value>(
  file: string,
  isValid: (value: unknown) => value is Value,
): Value | undefined {
  const content = readContent(file);
  if (content === undefined) return undefined;
  if (isValid(content)) return content;
  throw new CommandError(
    "unavailable",
    `The file ${file} is damaged.`,
    "Repair it, or delete it. payments logout --mode test, or live, deletes a stored key.",
  );
}

export function writeJsonFile(file: string, value: Record<string, unknown>): void {
  try {
    makeFolder(dirname(file));
    findFile(file); // refuses what is not a file
    outsideSnap(() => {
      openFile(file, { clearInvalidConfig: true }).store = value;
    });
  } catch (error) {
    throw fileFailure(file, error);
  }
}

/** Returns whether the file existed. The file behind a link is deleted too: it may hold a key. */
export function deleteFile(file: string): boolean {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return false;
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) rmSync(realpathSync(file));
    rmSync(file, { force: true });
    return true;
  } catch (error) {
    throw fileFailure(file, error);
  }
}

/** Undefined where there is no file, null where it holds no JSON. */
function readContent(file: string): unknown {
  try {
    if (findFile(file) === undefined) return undefined;
    const { store } = openFile(file);
    return findFile(file) === undefined ? undefined : store; // conf reads a missing file as an empty one
  } catch (error) {
    if (Error.isError(error) && error.name === "SyntaxError") return null;
    throw fileFailure(file, error);
  }
}

/**
 * Reading must write nothing, or a process that only reads would undo the write of another: so there are no defaults and
 * no migrations, with which conf writes whenever a file is opened, and only a writer has a damaged file cleared.
 */
function openFile(file: string, options: Parameters<typeof openConf>[0] = {}) {
  const { dir, name, ext } = parse(file);
  return openConf({
    cwd: dir,
    configName: name,
    fileExtension: ext,
    configFileMode: 0o600,
    serialize: (value) => `${JSON.stringify(value, null, 2)}\n`,
    ...options,
  });
}

/** Hides SNAP from conf, which inside a snap would overwrite the file in place: others would read half of one. */
function outsideSnap(write: () => void): void {
  const { SNAP } = process.env;
  delete process.env["SNAP"];
  try {
    write();
  } finally {
    if (SNAP !== undefined) process.env["SNAP"] = SNAP;
  }
}

export function fileFailure(file: string, error: unknown): CommandError {
  const { reason, remedy } = describeFsError(error);
  return new CommandError(
    "unavailable",
    `The file ${file} cannot be used: ${reason}.`,
    `${remedy}, or set PAYMENTS_HOME to another folder.`,
  );
}
