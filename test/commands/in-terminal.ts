import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { vi } from "vitest";
import { temporaryRoot } from "../config/temporary-home.ts";
import { environment, launcher, type RunOptions } from "./run-payments.ts";

/** Runs a command in a pseudo-terminal. It is a part of util-linux, which every Debian has. */
const script = "script";
export const hasTerminals =
  spawnSync(script, ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

export type Terminal = {
  /** All that has appeared on the screen so far. */
  screen: () => string;
  /** Waits until something appears. */
  appears: (text: string) => Promise<void>;
  type: (keys: string) => void;
  exitCode: Promise<number | null>;
};

export const keys = { enter: "\r", controlC: "\u0003" };

/** Runs the command in a terminal of its own; with `stdoutTo` its standard output goes to a file. */
export function inTerminal(
  args: string[],
  options: RunOptions & { stdoutTo?: string } = {},
): Terminal {
  const words = [process.execPath, launcher, ...args].map(quoted).join(" ");
  const output = options.stdoutTo === undefined ? "" : ` > ${quoted(options.stdoutTo)}`;
  return terminalRunning(`${words}${output}`, {
    cwd: temporaryRoot,
    env: environment(options),
  });
}

/** A terminal in which the shell runs a command. */
export function terminalRunning(
  command: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Terminal {
  const child = spawn(script, ["-qec", `stty cols 200; ${command}`, "/dev/null"], {
    cwd,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh" },
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (shown += chunk));
  const exitCode = (once(child, "close") as Promise<[number | null]>).then(([code]) => code);
  return {
    screen: () => shown,
    appears: async (text) => {
      await vi.waitFor(
        () => {
          if (!shown.includes(text)) throw new Error(`${text} does not appear in: ${shown}`);
        },
        { timeout: 20_000, interval: 20 },
      );
    },
    type: (typed) => child.stdin.write(typed),
    exitCode,
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
