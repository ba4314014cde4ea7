import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { isSea } from "node:sea";
import type { SandboxRequest } from "../../contract/sandbox.ts";
import { CommandError } from "../output/command-error.ts";
import { type WantedSandbox, inMemory, openSandbox } from "./open-sandbox.ts";
import { type Remains, clearAway } from "./process-group.ts";

// A sandbox in a process of its own. It ends with the one that has started it, and clears away what that would have.

/** The word in place of a command that starts it. */
const sandboxProcess = "__sandbox";

type Order = { start: WantedSandbox } | { remains: Remains } | { end: true };
type Report = { listening: Listening } | { request: SandboxRequest } | { ended: true };
type Listening = { url: string; account: string };

/** Longer than a sandbox waits for requests and webhooks under way. */
const maxEndMs = 20_000;

export type SandboxProcess = {
  /** Undefined where it has ended before it listens. */
  listening: Promise<Listening | undefined>;
  /** Its exit code; null where a signal ended it. Its errors are on standard error then. */
  ended: Promise<number | null>;
  /** Tells what it has to clear away where this process is gone. */
  hand: (remains: Remains) => void;
  end: () => Promise<void>;
};

/** Starts it; `onRequest` gets each entry of its journal. It has a session of its own: Ctrl-C does not reach it. */
export function startSandboxProcess(
  wanted: WantedSandbox,
  onRequest: (request: SandboxRequest) => void,
): SandboxProcess {
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
    listening,
    ended,
    hand: (remains) => order(child, { remains }),
    end: async () => {
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
