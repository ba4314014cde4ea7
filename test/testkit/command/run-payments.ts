import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Console } from "node:console";
import { once } from "node:events";
import { chmodSync, copyFileSync, cpSync, linkSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire, enableCompileCache } from "node:module";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { PaymentList } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { beginNamedDatabase, databaseOfHome } from "../database/open-database.ts";
import { createTemporaryHome, someKeys, temporaryRoot } from "../temporary.ts";

const { PATH } = process.env; // read now, since a command in this process may see another environment

/** The built launcher of the command. */
export const launcher = fileURLToPath(new URL("../../../bin/run.js", import.meta.url));

export type RunOptions = {
  /** PAYMENTS_HOME; a new one by default. */
  home?: string;
  /** Added to an environment of only PATH, HOME and PAYMENTS_HOME; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  stdin?: string;
  /** The command line is refused or shows help, so that `serve` needs no process of its own. */
  startsNothing?: boolean;
  /** The user that runs it. */
  uid?: number;
  gid?: number;
};

/**
 * Runs the command to its end, in a folder outside the project: in this process, unless a new one makes
 * a difference.
 */
export async function runPayments(args: string[], options: RunOptions = {}): Promise<Ran> {
  if (needsProcess(args, options)) return await runInNewProcess(args, options);
  const prepared = await prepareHome(options);
  return await runInThisProcess(args, createEnvironment(prepared), prepared.stdin);
}

/** Runs the command to its end in a new process. */
export async function runInNewProcess(args: string[], options: RunOptions = {}): Promise<Ran> {
  return await waitForEnd(startPayments(args, await prepareHome(options)));
}

async function prepareHome({
  home = createTemporaryHome(),
  ...options
}: RunOptions): Promise<RunOptions> {
  await beginNamedDatabase(home);
  return { home, ...options };
}

/** Another user, variables that Node reads at its start, and logs that bypass `process.stderr` need a process. */
function needsProcess(
  [command]: string[],
  { uid, gid, env = {}, startsNothing = false }: RunOptions,
): boolean {
  const isOtherUser = uid !== undefined || gid !== undefined;
  const configuresNode = Object.keys(env).some(
    (name) => name.startsWith("NODE_") && name !== "NODE_TLS_REJECT_UNAUTHORIZED", // read at each connection
  );
  return isOtherUser || configuresNode || (command === "serve" && !startsNothing);
}

/** Starts the command, for a test that interferes while it runs. */
export function startPayments(
  args: string[],
  options: RunOptions = {},
): ChildProcessWithoutNullStreams {
  const program =
    options.uid === undefined ? { node: process.execPath, launcher } : getSharedProgram();
  const child = spawn(program.node, [program.launcher, ...args], {
    cwd: temporaryRoot,
    env: createEnvironment(options),
    uid: options.uid,
    gid: options.gid,
  });
  child.stdin.on("error", () => {}); // the command may end without reading it
  child.stdin.end(options.stdin ?? "");
  return child;
}

/** Runs a line of bash with real pipes, in which `payments` is the command; it fails if any part fails. */
export async function runInShell(line: string, options: RunOptions = {}): Promise<Ran> {
  return await waitForEnd(startShell(line, options));
}

export function startShell(line: string, options: RunOptions = {}): ChildProcessWithoutNullStreams {
  const command = `payments() { '${process.execPath}' '${launcher}' "$@"; }; set -o pipefail`;
  const shell = spawn("bash", ["-c", `${command}\n${line}`], {
    cwd: temporaryRoot,
    env: createEnvironment(options),
  });
  shell.stdin.end();
  return shell;
}

/** Waits for the end of a process; its exit code is null if a signal ended it. */
export async function waitForEnd(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const ended = once(child, "close") as Promise<[number | null]>;
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { stdout, stderr, exitCode };
}

/** The environment of a command that uses a service, by default with a test key. */
export function createServiceEnv(url: string, key: string = someKeys.test): Record<string, string> {
  return { PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: key };
}

export function createEnvironment({
  home = createTemporaryHome(),
  env = {},
}: RunOptions): Record<string, string> {
  const all = {
    PATH,
    HOME: temporaryRoot,
    PAYMENTS_HOME: home,
    ...databaseOfHome(home),
    ...env,
  };
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** Parses the output of a command with `--json`. Errors: standard error is not empty. */
export function parsePrinted({ stdout, stderr }: Ran): Record<string, unknown> {
  if (stderr !== "") throw new Error(`Standard error is not empty: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

export function parsePayment(ran: Ran): Payment {
  return parsePrinted(ran) as Payment;
}

export function parseList(ran: Ran): PaymentList {
  return parsePrinted(ran) as PaymentList;
}

/** Parses the error of a command with `--json`. Errors: it is not one line, or standard output is not empty. */
export function parseError({ stdout, stderr }: Ran): Record<string, unknown> {
  if (stdout !== "") throw new Error(`Standard output is not empty: ${stdout}`);
  if (!/^[^\n]+\n$/.test(stderr)) throw new Error(`Standard error is not one line: ${stderr}`);
  return (JSON.parse(stderr) as { error: Record<string, unknown> }).error;
}

export const isRoot = process.getuid?.() === 0;

/** A user without root's rights: `nobody`, if root runs the tests. */
export const outsider = isRoot ? { uid: 65_534, gid: 65_534 } : {};

const root = fileURLToPath(new URL("../../..", import.meta.url));
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

/** A variable that makes a new Node process write its environment to a file, and a reader of that file. */
export function recordNodeEnvironment() {
  const file = join(createTemporaryHome(), "seen");
  const recorder = `
    import { writeFileSync } from "node:fs";
    writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env));
  `;
  return {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}`,
    read: () => JSON.parse(readFileSync(file, "utf8")) as Record<string, string>,
  };
}

export type Ran = { stdout: string; stderr: string; exitCode: number | null };
type Built = { main: (root: string) => Promise<void> };

const packageFolder = fileURLToPath(new URL("../../..", import.meta.url));

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
    replace(process, { argv: [process.execPath, `${packageFolder}bin/run.js`, ...argv] }),
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
    const { main } = requireModule(`${packageFolder}dist/main.cjs`) as Built;
    await main(packageFolder);
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
