// Loads the built command from its folder, with its code as V8 compiled it in earlier runs. Node's own cache
// holds a file as it was before it ran: the functions that a command calls would be compiled in each run.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { loader } from "./load.js";

/**
 * Gives the exports of `main.cjs` in the folder `root`. `store` is a folder of this user's own for compiled code,
 * which is run unchecked.
 */
export function loadProgram(root, store) {
  const folder = join(store, `${process.version}-${process.arch}`);
  const missed = [];
  const { load } = loader({
    root,
    read: (name) => {
      const source = readFileSync(root + name);
      return { text: source.toString(), code: readCode(join(folder, name), source) };
    },
    requireOther: createRequire(`${root}main.cjs`),
    onLoad: (name, script) => {
      if (script.cachedDataRejected === false) return;
      if (missed.length === 0) process.once("exit", () => storeCode(folder, root, missed));
      missed.push({ name, script, flags: readFlags() });
    },
  });
  return load("main.cjs");
}

/** V8 accepts only code that was compiled by the same version with the same flags; a service changes some. */
function readFlags() {
  return process.getBuiltinModule("node:v8").cachedDataVersionTag();
}

const sumLength = 4;

/**
 * An entry is the text of a file, what V8 compiled of it, and a checksum: a file that has changed since is compiled
 * anew, and so is one whose entry the disk has damaged, since V8 checks no more than its head.
 */
function readCode(path, source) {
  let entry;
  try {
    entry = readFileSync(path);
  } catch {
    return undefined; // the first run
  }
  const end = entry.length - sumLength;
  if (end <= source.length || !entry.subarray(0, source.length).equals(source)) return undefined;
  const code = entry.subarray(source.length, end);
  return crc32(code) === entry.readUInt32LE(end) ? code : undefined;
}

function formEntry(source, code) {
  const sum = Buffer.alloc(sumLength);
  sum.writeUInt32LE(crc32(code));
  return Buffer.concat([source, code, sum]);
}

/** Stores what was compiled, with all functions that were called. A process that cannot store it goes without. */
function storeCode(folder, root, missed) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { name, script, flags } of missed) {
      if (flags !== readFlags()) continue;
      writeWhole(
        join(folder, name),
        formEntry(readFileSync(root + name), script.createCachedData()),
      );
    }
  } catch {
    // The disk is full, or the folder was deleted.
  }
}

/** On a full disk each command would leave what it could not finish, and so the rest of the disk would be taken. */
function writeWhole(path, entry) {
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, entry, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
