import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Suffixes of the files that SQLite creates beside an open database. */
export const sqliteSuffixes = ["-journal", "-wal", "-shm"];

/** Writes a text to a new file, as `fillNewFile` does. */
export async function makeNewFile(path: string, text: string): Promise<void> {
  await fillNewFile(path, async (temporary) => writeFileSync(temporary, text));
}

/**
 * Creates a file atomically: `fill` writes it under a temporary name in the same folder, and it is renamed once it is
 * on disk. Only its owner can read it. Rejects with EEXIST where a file of that name exists, also one that was
 * created meanwhile.
 */
export async function fillNewFile<T>(
  path: string,
  fill: (temporary: string) => Promise<T>,
): Promise<T> {
  const folder = dirname(path);
  const temporary = join(folder, `.payments-${randomBytes(6).toString("hex")}.partial`);
  closeSync(openSync(temporary, "wx", 0o600));
  try {
    const result = await fill(temporary);
    sync(temporary);
    publish(temporary, path);
    if (process.platform !== "win32") sync(folder);
    return result;
  } finally {
    for (const suffix of ["", ...sqliteSuffixes]) rmSync(temporary + suffix, { force: true });
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A link never replaces a file; on file systems without links an empty file reserves the name. */
function publish(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    closeSync(openSync(path, "wx", 0o600));
    renameSync(temporary, path);
  }
}
