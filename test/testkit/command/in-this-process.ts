import { Console } from "node:console";
import { createRequire, enableCompileCache } from "node:module";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { temporaryRoot } from "./temporary-home.ts";

export type Ran = { stdout: string; stderr: string; exitCode: number | null };
type Built = { main: (root: string) => Promise<void> };

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Node's own loader: what Vitest would load for itself is another copy than what oclif then loads. */
const load = createRequire(import.meta.url);

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the built command as bin/run.js does, but here. A process has one environment, one folder and
 * one standard output: runs that come at once take turns.
 */
export async function runInThisProcess(
  argv: string[],
  env: Record<string, string>,
  stdin: string | Readable = "",
): Promise<Ran> {
  const run = last.then(async () => runNow(argv, env, stdin));
  last = run.catch(() => {});
  return await run;
}

async function runNow(
  argv: string[],
  env: Record<string, string>,
  stdin: string | Readable,
): Promise<Ran> {
  const [stdout, stderr] = [pipe(), pipe()];
  const streams = { stdout: stdout.stream, stderr: stderr.stream };
  const putBack = [
    replace(process, { argv: [process.execPath, `${root}bin/run.js`, ...argv] }),
    replace(process, {
      stdin: typeof stdin === "string" ? Readable.from([Buffer.from(stdin)]) : stdin,
      ...streams,
    }),
    replace(globalThis, { console: new Console(streams) }),
    replace(globalThis, { oclif: undefined }), // where it keeps the input that it has read
    enter(temporaryRoot),
    useEnvironment(env),
    ignoreWarnings(),
    forgetExitCode(),
  ];
  try {
    enableCompileCache();
    const { main } = load(`${root}dist/main.cjs`) as Built;
    await main(root);
    const exitCode = Number(process.exitCode ?? 0);
    return { stdout: stdout.text(), stderr: stderr.text(), exitCode };
  } finally {
    for (const back of putBack.toReversed()) back();
  }
}

/** Takes what is written as a pipe does whose reader keeps up. */
function pipe() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

// Each of these changes something of this process, and gives what puts it back.

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

function enter(folder: string): () => void {
  const before = process.cwd();
  process.chdir(folder);
  return () => process.chdir(before);
}

/** The variables themselves, which also the system's own functions read. */
function useEnvironment(env: NodeJS.ProcessEnv): () => void {
  const before = { ...process.env };
  for (const name of Object.keys(before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
  return () => {
    for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  };
}

/** The launcher has Node say nothing to who runs the command. */
function ignoreWarnings(): () => void {
  const before = process.listeners("warning");
  process.removeAllListeners("warning");
  return () => {
    process.removeAllListeners("warning");
    for (const listener of before) process.on("warning", listener);
  };
}

function forgetExitCode(): () => void {
  const before = process.exitCode;
  process.exitCode = undefined;
  return () => {
    process.exitCode = before;
  };
}
