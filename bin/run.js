#!/usr/bin/env node
// Starts the built command on a Node that can run it: this one, or the one that npm installed
// beside the package. Plain JavaScript, so that an old Node can report which version is needed.
const [major, minor] = process.versions.node.split(".").map(Number);

if (!isBuilt()) {
  console.error("payments is not built yet. In its folder: npm ci, which also builds it.");
  process.exit(9);
} else if (major > 24 || (major === 24 && minor >= 15)) {
  await start();
} else {
  await handOver();
}

/** An import of a part of Node would load all its exports, such as the streams of files; this does not. */
function part(name) {
  return process.getBuiltinModule(`node:${name}`);
}

/** A clone is not, before npm ci. Whatever the Node is: a Node that lacks `getBuiltinModule` is too old anyway. */
function isBuilt() {
  if (!process.getBuiltinModule) return true;
  return part("fs").existsSync(new URL("../dist/main.cjs", import.meta.url));
}

async function start() {
  const require = part("module").createRequire(import.meta.url);
  const store = makeStore();
  // Node's own warnings are for developers (bin/dev.js shows them), not for a script that reads errors.
  process.removeAllListeners("warning");
  const root = part("url").fileURLToPath(new URL("..", import.meta.url));
  const { main } =
    store === undefined
      ? require("../dist/main.cjs")
      : require("../dist/stored-code.cjs").loadProgram(part("path").join(root, "dist/"), store);
  await main(root);
}

/**
 * A folder of this user's own for compiled code, or undefined where there can be none. The code in it is run
 * unchecked: in a folder for all users another one could put code there.
 */
function makeStore() {
  const { lstatSync, mkdirSync, statSync } = part("fs");
  const user = process.getuid?.();
  const { homedir, tmpdir } = part("os");
  const parent = tmpdir();
  // On Windows each user has a folder for temporary files at home; accounts of the system share one with everybody.
  if (user === undefined && !parent.startsWith(homedir())) return undefined;
  const folder = part("path").join(parent, `payments-compile-cache-${user}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error.code !== "EEXIST") return undefined;
  }
  if (user === undefined) return folder;
  const made = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = made?.isDirectory() && made.uid === user && (made.mode & 0o077) === 0;
  return isOurs && isHeldFor(user, statSync(parent)) ? folder : undefined;
}

/** In a folder that is not, another user could put a folder in the place of ours once ours was checked. */
function isHeldFor(user, { uid, mode }) {
  const isSticky = (mode & 0o1000) !== 0;
  return (uid === user || uid === 0) && (isSticky || (mode & 0o022) === 0);
}

async function handOver() {
  const { createRequire } = await import("node:module");
  let node;
  try {
    node = createRequire(import.meta.url).resolve("node/bin/node");
  } catch {
    const { execPath, versions } = process;
    console.error(
      `payments needs Node 24.15 or newer; this is ${versions.node}, ${execPath}. Install a newer one, or in the project that has payments-cli: npm install node@24.`,
    );
    process.exit(9);
  }
  const { spawn } = await import("node:child_process");
  // The channel closes with this process, however that ends: what must not outlive it (sandbox exec) hears of it.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const child = spawn(node, process.argv.slice(1), { stdio });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGWINCH", "SIGCONT"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
