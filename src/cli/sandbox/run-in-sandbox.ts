import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  fchmodSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { SandboxRequest } from "../../contract/sandbox.ts";
import { signalGroup } from "../../runtime/child-programs.ts";
import { escapeControls, writeJson } from "../../runtime/text.ts";
import { type FsError, describeFsError, expandHome, findFile } from "../../runtime/user-files.ts";
import { type EnvFile, writeEnvFile } from "../config/write-env-file.ts";
import type { Forwarding } from "../listen/listen-flags.ts";
import { CommandError } from "../output/command-error.ts";
import { Interruption } from "../output/interruption.ts";
import {
  type Remains,
  type WantedSandbox,
  clearAway,
  describeSandbox,
  endGroup,
  startSandboxProcess,
} from "./open-sandbox.ts";

type Run = {
  /** The command and its arguments. */
  words: readonly [string, ...string[]];
  wanted: WantedSandbox;
  /** Without what would lead the command elsewhere. */
  env: Record<string, string | undefined>;
  envFile: EnvFile | undefined;
  journal: Journal;
  /** The addresses that events are forwarded to. */
  forward: Forwarding | undefined;
  version: string;
  onListening: (url: string) => void;
};

/** `exitCode`: the command's; 128 + n where signal n ended it. `problem`: the sandbox has ended before. */
type Outcome = { exitCode: number; problem?: CommandError };

/** How long a command may take to end whose sandbox is gone, or that was asked to end a second time. */
const unwillingMs = 10_000;

/**
 * Runs a command with a sandbox of its own, and ends both; nothing of them is left. Errors: the command cannot be run; a
 * signal came before it was.
 */
export async function runInSandbox(run: Run): Promise<Outcome> {
  const { words, wanted, env, envFile, journal, forward, version, onListening } = run;
  using signals = passSignals();
  const remains: Remains = { home: makeHome(), envFile };
  const sandbox = startSandboxProcess(wanted, journal.add);
  let forwarding: { secret: string; end: () => Promise<void> } | undefined;
  sandbox.hand(remains);
  try {
    const listening = await Promise.race([sandbox.listening, signals.interruption]);
    if (!listening) {
      const exitCode = await sandbox.ended;
      if (exitCode === null) throw new CommandError("unavailable", "The sandbox did not start.");
      return { exitCode }; // it has said why
    }
    const { url, account } = listening;
    if (forward) {
      const { startForwarding } = await import("./forward-events.ts");
      forwarding = await startForwarding(url, forward, version);
    }
    const variables = {
      ...describeSandbox(url, account),
      PAYMENTS_HOME: remains.home,
      ...(forwarding && { PAYMENTS_WEBHOOK_SECRET: forwarding.secret }),
    };
    if (envFile) writeEnvFile(envFile, variables);
    onListening(url);
    journal.begin();
    const { group, ended } = await startCommand(words, { ...env, ...variables });
    remains.group = group;
    sandbox.hand(remains);
    signals.passTo(group);
    const exitCode = await Promise.race([ended, sandbox.ended.then(() => undefined)]);
    if (exitCode !== undefined) return { exitCode };
    await endGroup(group, unwillingMs);
    const problem = new CommandError("unavailable", "The sandbox has ended before the command.");
    return { exitCode: problem.exitCode, problem };
  } finally {
    await forwarding?.end();
    await clearAway(remains);
    await sandbox.end();
  }
}

/** The folder for the command's `PAYMENTS_HOME`. Errors: none can be made among temporary files. */
function makeHome(): string {
  try {
    return mkdtempSync(join(tmpdir(), "payments-exec-"));
  } catch (error) {
    const { reason, remedy } = describeFsError(error);
    throw new CommandError(
      "unavailable",
      `The command's PAYMENTS_HOME cannot be made among temporary files: ${reason}.`,
      `${remedy}, or name another folder in TMPDIR.`,
    );
  }
}

/** Starts the command in a session of its own, with the streams of this process. */
async function startCommand([file, ...args]: Run["words"], env: Run["env"]) {
  const child = spawn(file, args, { env, stdio: "inherit", detached: true });
  const { pid: group } = child;
  if (group === undefined) {
    const [{ code }] = (await once(child, "error")) as [NodeJS.ErrnoException];
    const name = escapeControls(basename(file));
    throw code === "ENOENT"
      ? new CommandError("no_program", `${name} is not found.`)
      : new CommandError("unusable_program", `${name} cannot be run: ${code}.`);
  }
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals]>;
  const ended = exited.then(([code, signal]) => code ?? 128 + constants.signals[signal]);
  return { group, ended };
}

/** A terminal sends Ctrl-C to this process and to the one that has started it, which may pass it on. */
const samePressMs = 500;

/**
 * Passes signals on to the command. One that ends it comes before there is a command: `interruption` rejects with it.
 * It ends the command where the process is gone that has launched this one.
 */
function passSignals() {
  const { promise: interruption, reject } = Promise.withResolvers<never>();
  interruption.catch(() => {}); // there may be a command by then
  let group: number | undefined;
  let pressedAtMs = -Infinity;
  let asked = 0;
  const pass = (signal: NodeJS.Signals) => {
    if (group !== undefined) signalGroup(group, signal);
  };
  const end = (signal: Interruption["by"]) => {
    const now = performance.now();
    if (signal === "SIGINT" && now - pressedAtMs < samePressMs) return;
    if (signal === "SIGINT") pressedAtMs = now;
    if (group === undefined) reject(new Interruption(signal, { hasPrompted: false }));
    else if (++asked === 2) setTimeout(pass, unwillingMs, "SIGKILL").unref();
    pass(signal);
  };
  const abandon = () => {
    if (group === undefined) reject(new Interruption("SIGHUP", { hasPrompted: false }));
    else void endGroup(group, unwillingMs);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  for (const signal of ["SIGWINCH", "SIGCONT"] as const) process.on(signal, pass);
  if (process.connected) process.once("disconnect", abandon);
  return {
    interruption,
    /** From now on signals go to the processes of this group. */
    passTo: (id: number) => (group = id),
    [Symbol.dispose]: () => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, end);
      for (const signal of ["SIGWINCH", "SIGCONT"]) process.off(signal, pass);
      process.off("disconnect", abandon);
    },
  };
}

/** How many of the requests that went wrong are remembered. */
const maxWrong = 10;

/** The requests of a command in a sandbox, the whole of them in a file where one is named. */
export type Journal = Disposable & {
  /** Counts the requests from now on: earlier ones are not the command's. */
  begin: () => void;
  add: (request: SandboxRequest) => void;
  count: number;
  /** The last ones that were refused, failed or met a fault. */
  wrong: SandboxRequest[];
  /** Why the file ends before the last request: its disk became full. */
  failure?: FsError;
};

/** Errors: the file cannot be written now. The command goes on where it cannot be later. */
export function openJournal(path: string | undefined): Journal {
  const file = path === undefined ? undefined : openNewFile(expandHome(path));
  let hasBegun = false;
  let writtenBytes = 0;
  const write = (line: string) => {
    if (file === undefined || journal.failure) return;
    try {
      appendFileSync(file, line);
      writtenBytes += Buffer.byteLength(line);
    } catch (error) {
      journal.failure = describeFsError(error);
      ftruncateSync(file, writtenBytes); // after the last whole line
    }
  };
  const journal: Journal = {
    begin: () => (hasBegun = true),
    add: (request) => {
      if (!hasBegun) return;
      journal.count++;
      write(`${writeJson(request)}\n`);
      if (!isWrong(request)) return;
      journal.wrong.push(request);
      if (journal.wrong.length > maxWrong) journal.wrong.shift();
    },
    count: 0,
    wrong: [],
    [Symbol.dispose]: () => {
      if (file !== undefined) closeSync(file);
    },
  };
  return journal;
}

function isWrong({ status, fault }: SandboxRequest): boolean {
  return status === null || status >= 400 || fault !== null;
}

function openNewFile(path: string): number {
  try {
    findFile(path); // opening a pipe might never return
    const file = openSync(path, "w", 0o600);
    fchmodSync(file, 0o600); // of one that was there
    return file;
  } catch (error) {
    const { reason, remedy } = describeFsError(error);
    throw new CommandError(
      "unavailable",
      `The file of --keep-journal cannot be written: ${reason}.`,
      `${remedy}, or give another file.`,
    );
  }
}
