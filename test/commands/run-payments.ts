import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { PaymentList } from "../../src/contract/list.ts";
import type { Payment } from "../../src/contract/payment.ts";
import { newHome, someKeys, temporaryRoot } from "../config/temporary-home.ts";

/** The command as it is installed: built, in a process of its own. */
export const launcher = fileURLToPath(new URL("../../bin/run.js", import.meta.url));

export type RunOptions = {
  /** PAYMENTS_HOME; a fresh one by default. */
  home?: string;
  /** On top of an environment that has only PATH, HOME and PAYMENTS_HOME; undefined takes one away. */
  env?: Record<string, string | undefined>;
  /** What is typed into it; null is /dev/null. */
  stdin?: string | null;
  /** Who runs it. */
  uid?: number;
  gid?: number;
};
export type Ran = { stdout: string; stderr: string; exitCode: number | null };

/** Starts the command, in a folder that is not the project's. */
export function startPayments(args: string[], options: RunOptions = {}) {
  const { stdin = "", uid, gid } = options;
  const argv = [launcher, ...args];
  const how = { cwd: temporaryRoot, env: environment(options), uid, gid };
  const child =
    stdin === null
      ? spawn(process.execPath, argv, { ...how, stdio: ["ignore", "pipe", "pipe"] })
      : spawn(process.execPath, argv, { ...how, stdio: "pipe" });
  child.stdin?.on("error", () => {}); // the command may end without reading it
  child.stdin?.end(stdin);
  return child;
}

/** Runs the command to its end. */
export async function runPayments(args: string[], options: RunOptions = {}): Promise<Ran> {
  const child = startPayments(args, options);
  const ended = new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { stdout, stderr, exitCode };
}

/** The environment of a command that uses a service, with a key of test mode where none is given. */
export function against(url: string, key: string = someKeys.test): Record<string, string> {
  return { PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: key };
}

export function environment({ home, env = {} }: RunOptions): Record<string, string> {
  const all = {
    PATH: process.env["PATH"],
    HOME: temporaryRoot,
    PAYMENTS_HOME: home ?? newHome(),
    ...env,
  };
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/** What a command printed with `--json`, which is all that it may have printed. */
export function printed({ stdout, stderr }: Ran): Record<string, unknown> {
  if (stderr !== "") throw new Error(`Standard error is not empty: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

export function printedPayment(ran: Ran): Payment {
  return printed(ran) as Payment;
}

export function printedList(ran: Ran): PaymentList {
  return printed(ran) as PaymentList;
}

/** The error that a command ended with under `--json`: one line, and nothing on standard output. */
export function errorIn({ stdout, stderr }: Ran): Record<string, unknown> {
  if (stdout !== "") throw new Error(`Standard output is not empty: ${stdout}`);
  if (!/^[^\n]+\n$/.test(stderr)) throw new Error(`Standard error is not one line: ${stderr}`);
  return (JSON.parse(stderr) as { error: Record<string, unknown> }).error;
}
