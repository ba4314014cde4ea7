#!/usr/bin/env node
// Starts the built command on a Node that can run it: this one, or the one that npm installed
// beside the package. Plain JavaScript, so that an old Node gets far enough to say what is needed.
import { mkdirSync } from "node:fs";
import * as module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 24 || (major === 24 && minor >= 15)) {
  if (hasCompileCache()) module.enableCompileCache();
  // Node's own warnings are for developers (bin/dev.js shows them), not for a script that reads errors.
  process.removeAllListeners("warning");
  const { main } = await import("../dist/main.cjs");
  await main(fileURLToPath(new URL("..", import.meta.url)));
} else {
  await handOver();
}

/**
 * Whether there is a folder for what Node has compiled, or can be one: where none can be made, as below
 * /proc, Node would try for ever.
 */
function hasCompileCache() {
  try {
    mkdirSync(join(tmpdir(), "node-compile-cache"));
    return true;
  } catch (error) {
    return error.code === "EEXIST";
  }
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
