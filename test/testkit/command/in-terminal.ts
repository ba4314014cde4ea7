import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { needs } from "../runner/needs.ts";
import { temporaryRoot } from "../temporary.ts";
import { createEnvironment, launcher, type RunOptions } from "./run-payments.ts";
import { waitForOutput } from "./running-commands.ts";

/** The program that runs a command in a pseudo-terminal, part of util-linux, which every Debian has. */
const script = "script";
export const hasTerminals =
  spawnSync(script, ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

/** The reason why a test of terminals is skipped. */
export const noTerminals = "needs terminals, which `script` of util-linux makes";

/** Skips a suite of interactive tests without terminals. */
export function requireTerminals(): void {
  needs(hasTerminals, "terminals, which `script` of util-linux makes");
}

export type Terminal = {
  /** The output of the screen so far. */
  screen: () => string;
  /** Waits until a text appears after the previously awaited one. */
  appears: (text: string) => Promise<void>;
  type: (keys: string) => void;
  /** Closes the terminal's window. */
  close: () => void;
  exitCode: Promise<number | null>;
};
export type TerminalOptions = RunOptions & {
  /** Files that replace the terminal as standard input, output or error. */
  stdinFrom?: string;
  stdoutTo?: string;
  stderrTo?: string;
  columns?: number;
};

export const keys = {
  enter: "\r",
  tab: "\t",
  down: "\u001B[B",
  backspace: "\u007F",
  controlC: "\u0003",
  controlD: "\u0004",
  controlU: "\u0015",
  controlZ: "\u001A",
};

/** Runs the command in a new terminal. */
export function runInTerminal(args: string[], options: TerminalOptions = {}): Terminal {
  return runProgramInTerminal([launcher, ...args], options);
}

/** Runs a Node program in a new terminal. */
export function runProgramInTerminal(argv: string[], options: TerminalOptions = {}): Terminal {
  const { stdinFrom, stdoutTo, stderrTo } = options;
  const files = [
    stdinFrom === undefined ? "" : ` < ${quoted(stdinFrom)}`,
    stdoutTo === undefined ? "" : ` > ${quoted(stdoutTo)}`,
    stderrTo === undefined ? "" : ` 2> ${quoted(stderrTo)}`,
  ].join("");
  return runLineInTerminal(toNodeLine(argv) + files, options);
}

/** The shell command that runs a Node program. */
export function toNodeLine(argv: string[]): string {
  return [process.execPath, ...argv].map(quoted).join(" ");
}

/** Runs a shell command in a new terminal. */
export function runLineInTerminal(line: string, options: TerminalOptions = {}): Terminal {
  return openTerminal(`exec ${line}`, {
    cwd: temporaryRoot,
    env: createEnvironment(options),
    columns: options.columns,
  });
}

/** Runs a shell command in a new terminal, with this folder and environment. */
export function openTerminal(
  command: string,
  {
    cwd,
    env,
    columns = 200,
  }: { cwd: string; env: Record<string, string>; columns?: number | undefined },
): Terminal {
  const child = spawn(script, ["-qec", `stty cols ${columns}; ${command}`, "/dev/null"], {
    cwd,
    env: { TERM: "xterm", SHELL: "/bin/sh", ...env },
  });
  let output = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  const exitCode = (once(child, "close") as Promise<[number | null]>).then(([code]) => code);
  return {
    screen: () => output,
    appears: async (text) => {
      const at = await waitForOutput(
        child,
        () => {
          const found = output.indexOf(text, seen);
          return found === -1 ? undefined : found;
        },
        () => `${text} does not appear in: ${output.slice(seen)}`,
      );
      seen = at + text.length;
    },
    type: (typed) => child.stdin.write(typed),
    close: () => void child.kill("SIGKILL"),
    exitCode,
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
