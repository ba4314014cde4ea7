import { once } from "node:events";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { startPayments, type Ran, type RunOptions } from "./run-payments.ts";
import { waitForOutput } from "./wait-for-output.ts";

export type ListeningCommand = {
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
export function listenPayments(args: string[], options: RunOptions = {}): ListeningCommand {
  const child = startPayments(["listen", ...args], options);
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
  let text = "";
  let seen = 0;
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => (text += chunk));
  return {
    text: () => text,
    /** The next complete line that matches. */
    next: (pattern: RegExp): string | undefined => {
      const whole = text.slice(0, text.lastIndexOf("\n") + 1);
      const lines = whole.split("\n").slice(0, -1);
      const at = lines.findIndex((line, index) => index >= seen && pattern.test(line));
      if (at !== -1) seen = at + 1;
      return lines[at];
    },
  };
}
