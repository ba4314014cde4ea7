import { Console } from "node:console";
import { createRequire, enableCompileCache } from "node:module";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { temporaryRoot } from "../temporary.ts";

export type Ran = { stdout: string; stderr: string; exitCode: number | null };
type Built = { main: (root: string) => Promise<void> };

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Node's own loader: Vitest's would load a second copy of the modules that oclif then loads. */
const requireModule = createRequire(import.meta.url);

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the built command as bin/run.js does, but in this process. Concurrent runs take turns, since a process
 * has one environment, one folder and one standard output.
 */
export async function runInThisProcess(
  argv: string[],
  env: Record<string, string>,
  stdin: string | Readable = "",
): Promise<Ran> {
  const run = last.then(async () => runAtOnce(argv, env, stdin));
  last = run.catch(() => {});
  return await run;
}

async function runAtOnce(
  argv: string[],
  env: Record<string, string>,
  stdin: string | Readable,
): Promise<Ran> {
  const [stdout, stderr] = [createPipe(), createPipe()];
  const streams = { stdout: stdout.stream, stderr: stderr.stream };
  const undoSteps = [
    replace(process, { argv: [process.execPath, `${root}bin/run.js`, ...argv] }),
    replace(process, {
      stdin: typeof stdin === "string" ? Readable.from([Buffer.from(stdin)]) : stdin,
      ...streams,
    }),
    replace(globalThis, { console: new Console(streams) }),
    replace(globalThis, { oclif: undefined }), // oclif stores the input that it has read there
    changeFolder(temporaryRoot),
    useEnvironment(env),
    ignoreWarnings(),
    resetExitCode(),
  ];
  try {
    enableCompileCache();
    const { main } = requireModule(`${root}dist/main.cjs`) as Built;
    await main(root);
    const exitCode = Number(process.exitCode ?? 0);
    return { stdout: stdout.text(), stderr: stderr.text(), exitCode };
  } finally {
    for (const undo of undoSteps.toReversed()) undo();
  }
}

/** A writable stream like a pipe with a fast reader. */
function createPipe() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

// Each of these functions changes this process, and returns a function that restores it.

function replace(owner: object, properties: Record<string, unknown>): () => void {
  const names = Object.keys(properties);
  const before = names.map((name) => Object.getOwnPropertyDescriptor(owner, name));
  for (const name of names) {
    const value = { value: properties[name], configurable: true, writable: true };
    Object.defineProperty(owner, name, value);
  }
  return () => {
    for (const [at, name] of names.entries()) {
      Reflect.deleteProperty(owner, name);
      const descriptor = before[at];
      if (descriptor) Object.defineProperty(owner, name, descriptor);
    }
  };
}

function changeFolder(folder: string): () => void {
  const before = process.cwd();
  process.chdir(folder);
  return () => process.chdir(before);
}

/** Changes the variables themselves, since the system's own functions read them. */
function useEnvironment(env: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env };
  for (const name of Object.keys(before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  return () => {
    for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  };
}

/** The launcher suppresses Node's warnings. */
function ignoreWarnings(): () => void {
  const before = process.listeners("warning");
  process.removeAllListeners("warning");
  return () => {
    process.removeAllListeners("warning");
    for (const listener of before) process.on("warning", listener);
  };
}

function resetExitCode(): () => void {
  const before = process.exitCode;
  process.exitCode = undefined;
  return () => {
    process.exitCode = before;
  };
}
