import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Ends a PostgreSQL that is started again later: with SIGINT it shuts down and closes its connections; with SIGKILL
 * all of its processes end at once, as when a machine fails.
 */
export async function endPostgres(
  { folder }: { folder: string },
  signal: "SIGINT" | "SIGKILL",
): Promise<void> {
  const postmaster = readPostmaster(folder);
  const processes = [postmaster, ...listChildren(postmaster)];
  const signaled = signal === "SIGKILL" ? processes : [postmaster];
  for (const pid of signaled) if (isAlive(pid)) process.kill(pid, signal);
  while (processes.some(isAlive)) await delay(10);
}

export function isRunning(folder: string): boolean {
  return isAlive(readPostmaster(folder));
}

function readPostmaster(folder: string): number {
  const [first] = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
  return Number(first);
}

function listChildren(parent: number): number[] {
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
