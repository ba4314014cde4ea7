#!/usr/bin/env node
// Starts the built command on a Node that can run it: this one, or the one that npm installed
// beside the package. Plain JavaScript, so that an old Node gets far enough to say what is needed.
import { lstatSync, mkdirSync } from "node:fs";
import * as module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 24 || (major === 24 && minor >= 15)) {
  const cache = compileCache();
  if (cache !== undefined) module.enableCompileCache(cache);
  // Node's own warnings are for developers (bin/dev.js shows them), not for a script that reads errors.
  process.removeAllListeners("warning");
  const { main } = await import("../dist/main.cjs");
  await main(fileURLToPath(new URL("..", import.meta.url)));
} else {
  await handOver();
}

/**
 * A folder of this user's own for what Node has compiled, or undefined where there can be none. Node runs what
 * lies there as it is, and its own default is one folder for all users: whoever made it could put code there.
 */
function compileCache() {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `payments-compile-cache-${user}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== "EEXIST") return undefined;
  }
  if (user === undefined) return folder; // on Windows each user has a folder for temporary files
  const made = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = made?.isDirectory() && made.uid === user && (made.mode & 0o077) === 0;
  return isOurs ? folder : undefined;
}

async function handOver() {
  let node;
  try {
    node = module.createRequire(import.meta.url).resolve("node/bin/node");
  } catch {
    console.error(`payments needs Node 24.15 or newer; this is ${process.versions.node}.`);
    process.exit(9);
  }
  const { spawn } = await import("node:child_process");
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
