import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { isSea } from "node:sea";
import { setTimeout as delay } from "node:timers/promises";
import { type ClockMode, type SigningTime, sandboxKeys } from "../../contract/field-values.ts";
import type { SandboxRequest } from "../../contract/sandbox.ts";
import { signalGroup } from "../../runtime/child-programs.ts";
import { type EnvFile, deleteEnvFile } from "../config/write-env-file.ts";
import { CommandError } from "../output/command-error.ts";

/** A sandbox as the user wants it, for another process too: it gets this as JSON. */
export type WantedSandbox = {
  host: string;
  port: number;
  clock: ClockMode;
  seed: string | undefined;
  signAt: SigningTime;
  publicUrl: string | undefined;
  database: string;
  /** Paths. */
  fixtures: readonly string[];
  vars: [key: string, value: string][];
};

export const inMemory = "sqlite::memory:";

/** Starts the sandbox in this process, with its fixtures. Errors: a fixture is wrong, or a step fails. */
export async function openSandbox(
  { fixtures, vars, ...settings }: WantedSandbox,
  version: string,
  onRequest?: (request: SandboxRequest) => void,
) {
  const prepare = await prepareFixtures(fixtures, new Map(vars));
  const { serveSandbox } = await import("../../service/server/serve-sandbox.ts");
  return await serveSandbox({ ...settings, version, prepare, onRequest });
}

/** The variables by which a program reaches a sandbox. */
export function describeSandbox(url: string, account: string): Record<string, string> {
  return {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_API_KEY: sandboxKeys.test,
    PAYMENTS_MODE: "test",
    PAYMENTS_SANDBOX_LIVE_KEY: sandboxKeys.live,
    PAYMENTS_SANDBOX_ACCOUNT: account,
  };
}

/** Checks the fixtures; the returned function makes them in a sandbox that has just begun. */
async function prepareFixtures(
  paths: readonly string[],
  vars: Map<string, string>,
): Promise<((url: string) => Promise<void>) | undefined> {
  if (paths.length === 0) return undefined;
  const { loadFixtures } = await import("../fixtures/read-fixtures.ts");
  const { runFixtures } = await import("../fixtures/run-fixtures.ts");
  const { PaymentsClient } = await import("../../client/client.ts");
  // A sandbox begins empty, so that the same name serves each run: what is made repeats with the seed.
  const run = "sandbox";
  const steps = await loadFixtures(paths, { vars, run });
  return async (url) => {
    // Everyone knows the key: on --host of this network it may go over plain http.
    const client = new PaymentsClient({ baseUrl: url, apiKey: sandboxKeys.test, allowHttp: true });
    try {
      await runFixtures(client, steps, { run, onDone: () => {} });
    } finally {
      await client.close();
    }
  };
}

// A sandbox in a process of its own. It ends with the one that has started it, and clears away what that would have.

/** The word in place of a command that starts it. */
const sandboxProcess = "__sandbox";

type Order = { start: WantedSandbox } | { remains: Remains } | { end: true };
type Report = { listening: Listening } | { request: SandboxRequest } | { ended: true };
type Listening = { url: string; account: string };

/** Longer than a sandbox waits for requests and webhooks under way. */
const maxEndMs = 20_000;

/** Starts it; `onRequest` gets each entry of its journal. It has a session of its own: Ctrl-C does not reach it. */
export function startSandboxProcess(
  wanted: WantedSandbox,
  onRequest: (request: SandboxRequest) => void,
) {
  const [, launcher = ""] = process.argv;
  const words = [...(isSea() ? [] : [launcher]), sandboxProcess];
  const child = spawn(process.execPath, words, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    detached: true,
  });
  const { promise: listening, resolve } = Promise.withResolvers<Listening | undefined>();
  const exited = once(child, "exit") as Promise<[number | null]>;
  const ended = exited.then(
    ([code]) => code,
    () => null, // it could not be started
  );
  void ended.then(() => resolve(undefined));
  child.on("message", (said: Report) => {
    if ("listening" in said) resolve(said.listening);
    if ("request" in said) onRequest(said.request);
  });
  order(child, { start: wanted });
  return {
    /** Undefined where it has ended before it listens. */
    listening,
    /** Its exit code; null where a signal ended it. Its errors are on standard error then. */
    ended,
    /** Tells what it has to clear away where this process is gone. */
    hand: (remains: Remains): void => order(child, { remains }),
    end: async (): Promise<void> => {
      const late = setTimeout(() => child.kill("SIGKILL"), maxEndMs);
      if (child.connected) {
        order(child, { end: true });
        await once(child, "disconnect"); // all that it has reported was read
      }
      await ended;
      clearTimeout(late);
    },
  };
}

/** It may have ended. */
function order(child: ChildProcess, message: Order): void {
  if (child.connected) child.send(message, () => {});
}

/** Runs the sandbox of the process that has started this one. */
export async function runSandboxProcess(version: string): Promise<void> {
  if (!process.send) throw new CommandError("usage", `${sandboxProcess} is no command.`);
  const { promise: wanted, resolve: start } = Promise.withResolvers<WantedSandbox>();
  const { promise: ending, resolve: end } = Promise.withResolvers<unknown>();
  let remains: Remains | undefined;
  process.on("message", (message: Order) => {
    if ("start" in message) start(message.start);
    if ("remains" in message) remains = message.remains;
    if ("end" in message) {
      remains = undefined; // which is done already
      end(undefined);
    }
  });
  for (const event of ["disconnect", "SIGTERM", "SIGINT"]) process.once(event, end);
  const settings = await Promise.race([wanted, ending.then(() => undefined)]);
  if (!settings) return;
  let running: Awaited<ReturnType<typeof openSandbox>> | undefined;
  try {
    running = await openSandbox(settings, version, (request) => void report({ request }));
    await report({ listening: { url: running.url, account: running.account } });
    await ending;
  } finally {
    if (remains) await clearAway(remains); // while the sandbox answers: the command may need it to the end
    if (!running && process.connected) process.disconnect();
  }
  if (settings.database !== inMemory) await running.close();
  await report({ ended: true }); // after all others
  process.exit(); // nobody is left who could ask a sandbox in memory
}

/** Resolves once it is written, or nobody reads it any more. */
async function report(message: Report): Promise<void> {
  await new Promise((resolve) => {
    if (process.connected) process.send?.(message, resolve);
    else resolve(undefined);
  });
}

/** The remains of a command in a sandbox: the processes of its group, its home, its file of variables. */
export type Remains = { group?: number | undefined; home: string; envFile?: EnvFile | undefined };

/** How long what is left of a command's group may take to end. */
const leftMs = 2_000;
/** The system ends what is killed at once, unless it waits for a disk. */
const killedMs = 1_000;
const lookEveryMs = 10;

/** Leaves nothing behind; twice is as good as once. */
export async function clearAway({ group, home, envFile }: Remains): Promise<void> {
  if (group !== undefined) await endGroup(group, leftMs);
  rmSync(home, { recursive: true, force: true });
  if (envFile) deleteEnvFile(envFile);
}

/** Asks all processes of a group to end, and kills what is left of it after `graceMs`. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM") || (await isGoneWithin(group, graceMs))) return;
  signalGroup(group, "SIGKILL");
  await isGoneWithin(group, killedMs);
}

async function isGoneWithin(group: number, ms: number): Promise<boolean> {
  const deadlineMs = performance.now() + ms;
  while (signalGroup(group, 0)) {
    if (performance.now() > deadlineMs) return false;
    await delay(lookEveryMs);
  }
  return true;
}
