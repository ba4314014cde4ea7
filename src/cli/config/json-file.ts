import { lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, parse } from "node:path";
import { findFile, makeFolder, describeFsError } from "../../runtime/user-files.ts";
import { CommandError } from "../errors/command-error.ts";
import openConf from "./conf.cjs";

// Small files that only their owner may read. Each is replaced as a whole, so that neither an
// interruption nor a full disk leaves half of one. Where a link stands in its place the file that it
// leads to is read, replaced and deleted: people keep their settings elsewhere and link to them.

/** What a file holds, or undefined where there is none. Errors: it is not what it `isTo` be. */
export function readJsonFile<Value>(
  file: string,
  isTo: (value: unknown) => value is Value,
): Value | undefined {
  const content = contentOf(file);
  if (content === undefined) return undefined;
  if (isTo(content)) return content;
  throw new CommandError(
    "unavailable",
    `The file ${file} is damaged.`,
    "Mend it, or delete it (payments logout does, where it holds a key).",
  );
}

export function writeJsonFile(file: string, value: Record<string, unknown>): void {
  try {
    makeFolder(dirname(file));
    findFile(file); // what is no file is refused
    const conf = opened(file, { deserialize: () => ({}) }); // replaced as a whole, damaged or not
    outsideSnap(() => {
      conf.store = value;
    });
  } catch (error) {
    throw fileFailure(file, error);
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
    throw fileFailure(file, error);
  }
}

/** Undefined where there is no file, null where it holds no JSON. */
function contentOf(file: string): unknown {
  try {
    if (findFile(file) === undefined) return undefined;
    const { store } = opened(file);
    return findFile(file) === undefined ? undefined : store; // what is gone in the meantime reads as empty
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw fileFailure(file, error);
  }
}

/**
 * Nothing is written by opening alone. So there are no migrations yet: they run, and write down that
 * they have, whenever a file is opened, and a process that only reads would undo what another has
 * just written.
 */
function opened(file: string, options: Parameters<typeof openConf>[0] = {}) {
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

/** In a terminal that is a snap conf would write over a file in place, which can leave half of one. */
function outsideSnap(write: () => void): void {
  const { SNAP } = process.env;
  delete process.env["SNAP"];
  try {
    write();
  } finally {
    if (SNAP !== undefined) process.env["SNAP"] = SNAP;
  }
}

/** What is told of a file that is not what it should be, or that this user may not use. */
export function fileFailure(file: string, error: unknown): CommandError {
  const { reason, remedy } = describeFsError(error);
  return new CommandError(
    "unavailable",
    `The file ${file} cannot be used: ${reason}.`,
    `${remedy}, or set PAYMENTS_HOME to another folder.`,
  );
}
