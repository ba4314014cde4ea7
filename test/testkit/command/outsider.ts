import { chmodSync, copyFileSync, cpSync, linkSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryRoot } from "./temporary-home.ts";

export const isRoot = process.getuid?.() === 0;

/** A user without root's rights: `nobody`, if root runs the tests. */
export const outsider = isRoot ? { uid: 65_534, gid: 65_534 } : {};

const root = fileURLToPath(new URL("../../../", import.meta.url));
let shared: { node: string; launcher: string } | undefined;

/** Copies Node and the built command to a folder that every user may read: the clone may be in a private one. */
export function getSharedProgram(): { node: string; launcher: string } {
  shared ??= copyProgram();
  return shared;
}

function copyProgram() {
  chmodSync(temporaryRoot, 0o755);
  const folder = mkdtempSync(join(temporaryRoot, "shared-"));
  for (const name of ["bin/run.js", "dist", "docs/errors.html", "package.json"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  const node = join(folder, "node");
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  chmodSync(folder, 0o755);
  return { node, launcher: join(folder, "bin/run.js") };
}
