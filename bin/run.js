#!/usr/bin/env node
// Starts the built command on a Node that can run it: this one, or the one that npm installed
// beside the package. Plain JavaScript, so that an old Node gets far enough to say what is needed.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import * as module from "node:module";
import { tmpdir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major > 24 || (major === 24 && minor >= 15)) {
  if (hasCompileCache()) module.enableCompileCache();
  ensureHome();
  // Node's own warnings are for developers (bin/dev.js shows them), not for a script that reads errors.
  process.removeAllListeners("warning");
  const { main } = await import("../dist/main.cjs");
  await main(fileURLToPath(new URL("..", import.meta.url)));
} else {
  handOver();
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

/**
 * A number without a user, as containers run their commands, has neither a home nor a shell, and the
 * libraries that ask the system for them as they are loaded would end the command.
 */
function ensureHome() {
  const { HOME = "", SHELL } = process.env;
  const hasHome = isAbsolute(HOME);
  if (hasHome && SHELL !== undefined) return;
  try {
    userInfo();
  } catch {
    if (!hasHome) process.env.HOME = "/";
    process.env.SHELL ??= "/bin/sh";
  }
}

function handOver() {
  let node;
  try {
    node = module.createRequire(import.meta.url).resolve("node/bin/node");
  } catch {
    console.error(`payments needs Node 24.15 or newer; this is ${process.versions.node}.`);
    process.exit(9);
  }
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
