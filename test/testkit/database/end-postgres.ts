import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Ends a PostgreSQL that is started again later: orderly, cutting its connections, with SIGINT; with
 * SIGKILL all of its processes at once, as a machine that fails does.
 */
export async function endPostgres(
  { folder }: { folder: string },
  signal: "SIGINT" | "SIGKILL",
): Promise<void> {
  const postmaster = postmasterOf(folder);
  const processes = [postmaster, ...childrenOf(postmaster)];
  const told = signal === "SIGKILL" ? processes : [postmaster];
  for (const pid of told) if (isAlive(pid)) process.kill(pid, signal);
  while (processes.some(isAlive)) await delay(10);
}

/** Whether one that was started and not told to stop is still there. */
export function isRunning(folder: string): boolean {
  return isAlive(postmasterOf(folder));
}

function postmasterOf(folder: string): number {
  const [first] = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
  return Number(first);
}

function childrenOf(parent: number): number[] {
  const all = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = all
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
