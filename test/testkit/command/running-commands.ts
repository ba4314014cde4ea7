import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { temporaryRoot } from "../temporary.ts";
import {
  type Ran,
  type RunOptions,
  createEnvironment,
  launcher,
  startPayments,
} from "./run-payments.ts";

export type Serving = {
  /** Its line on standard output. */
  line: string;
  url: string;
  pid: number | undefined;
  /** Sends a signal, and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<Ended>;
};
type Ended = {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Standard output after the first line. */
  stdout: string;
  stderr: string;
};

/** Starts `payments serve` on a free port, and waits until it listens; `openFiles` limits its open files. */
export async function servePayments(
  args: string[] = [],
  { openFiles, ...options }: RunOptions & { openFiles?: number } = {},
): Promise<Serving> {
  const limit = openFiles === undefined ? ":" : `ulimit -n ${openFiles}`;
  const command = [process.execPath, launcher, "serve", "--port", "0", ...args];
  const child = spawn("sh", ["-c", `${limit} && exec "$@"`, "sh", ...command], {
    cwd: temporaryRoot,
    env: createEnvironment(options),
  });
  openUntilFileEnds(() => child.kill("SIGKILL"));
  const exited = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const stderr = text(child.stderr);
  const rest: string[] = [];
  const line = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.once("line", (first) => {
      resolve(first);
      lines.on("line", (more) => rest.push(more));
    });
    lines.once("close", () => void stderr.then((message) => reject(new Error(message))));
  });
  return {
    line,
    url: /http:\/\/[^"\s]+/.exec(line)?.[0] ?? "",
    pid: child.pid,
    end: async (signal) => {
      child.kill(signal);
      const [exitCode, endedBy] = await exited;
      return { exitCode, signal: endedBy, stdout: rest.join("\n"), stderr: await stderr };
    },
  };
}

export type RunningCommand = {
  pid: number | undefined;
  /** Waits for a line of standard output (`shows`) or of standard error (`says`), after the previously awaited one. */
  shows: (line: RegExp) => Promise<string>;
  says: (line: RegExp) => Promise<string>;
  kill: (signal: NodeJS.Signals) => void;
  /** Its exit code, and all its output. */
  ended: Promise<Ran>;
  /** Sends a signal, and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<Ran>;
};

/** Starts `payments listen` in a new process. */
export function listenPayments(args: string[], options: RunOptions = {}): RunningCommand {
  return watchPayments(["listen", ...args], options);
}

/** Starts a command that runs until it is ended, in a new process. */
export function watchPayments(args: string[], options: RunOptions = {}): RunningCommand {
  const child = startPayments(args, options);
  openUntilFileEnds(() => child.kill("SIGKILL"));
  const [stdout, stderr] = [child.stdout, child.stderr].map(createLineReader);
  const ended = (once(child, "close") as Promise<[number | null]>).then(([exitCode]) => ({
    stdout: stdout?.text() ?? "",
    stderr: stderr?.text() ?? "",
    exitCode,
  }));
  const waitForLine = async (stream: typeof stdout, line: RegExp) =>
    waitForOutput(
      child,
      () => stream?.next(line),
      () => `${String(line)} is not in:\n${stdout?.text()}\n${stderr?.text()}`,
    );
  return {
    pid: child.pid,
    shows: async (line) => waitForLine(stdout, line),
    says: async (line) => waitForLine(stderr, line),
    kill: (signal) => void child.kill(signal),
    ended,
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
  };
}

function createLineReader(stream: NodeJS.ReadableStream) {
  let output = "";
  let seen = 0;
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => (output += chunk));
  return {
    text: () => output,
    /** The next complete line that matches. */
    next: (pattern: RegExp): string | undefined => {
      const whole = output.slice(0, output.lastIndexOf("\n") + 1);
      const lines = whole.split("\n").slice(0, -1);
      const at = lines.findIndex((line, index) => index >= seen && pattern.test(line));
      if (at !== -1) seen = at + 1;
      return lines[at];
    },
  };
}

/**
 * Waits until `find` finds something in the output of a process, which is looked at again whenever it has grown.
 * Errors: the process has ended without it, or it has not come in two minutes; `describe` says what is missing.
 */
export async function waitForOutput<Found>(
  child: ChildProcessWithoutNullStreams,
  find: () => Found | undefined,
  describe: () => string,
): Promise<Found> {
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  let isFound = false; // `find` may go on to the next line whenever it is called
  const look = () => {
    const found = isFound ? undefined : find();
    if (found === undefined) return;
    isFound = true;
    resolve(found);
  };
  const fail = () => {
    look();
    if (!isFound) reject(new Error(describe()));
  };
  const timeout = setTimeout(fail, 120_000);
  for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
  child.on("close", fail);
  look();
  return await promise.finally(() => {
    clearTimeout(timeout);
    for (const stream of [child.stdout, child.stderr]) stream.off("data", look);
    child.off("close", fail);
  });
}
