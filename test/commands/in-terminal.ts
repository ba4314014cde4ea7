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

type TerminalOptions = RunOptions & {
  columns?: number;
  /** Files that standard output or standard error go to in place of the screen. */
  stdoutTo?: string;
  stderrTo?: string;
};

/** Runs the command in a terminal of its own. */
export function inTerminal(args: string[], options: TerminalOptions = {}): Terminal {
  const { columns = 200, stdoutTo, stderrTo } = options;
  const words = [process.execPath, launcher, ...args].map(quoted).join(" ");
  const line = [
    `stty cols ${columns}; ${words}`,
    ...(stdoutTo === undefined ? [] : [`> ${quoted(stdoutTo)}`]),
    ...(stderrTo === undefined ? [] : [`2> ${quoted(stderrTo)}`]),
  ].join(" ");
  const child = spawn(script, ["-qec", line, "/dev/null"], {
    cwd: temporaryRoot,
    env: { TERM: "xterm", ...environment(options), SHELL: "/bin/sh" },
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
