import { rmSync } from "node:fs";

const open: (() => unknown)[] = [];
const folders: string[] = [];

/**
 * Calls `close` after all tests of the file. Concurrent tests may use it, and so may modules: a module is
 * evaluated once a worker, so its own `afterAll` would run only after the worker's first file.
 */
export function openUntilFileEnds(close: () => unknown): void {
  open.push(close);
}

/** Deletes a folder after all tests of the file, and after all that is open in it was closed. */
export function keepUntilFileEnds(folder: string): void {
  folders.push(folder);
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map(async (close) => close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
