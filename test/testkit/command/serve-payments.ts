import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import { temporaryRoot } from "./temporary-home.ts";
import { createEnvironment, launcher, type RunOptions } from "./run-payments.ts";

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
