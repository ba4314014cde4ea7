import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { signalGroup } from "../../runtime/child-programs.ts";
import { type EnvFile, deleteEnvFile } from "../config/write-env-file.ts";

/** The remains of a command in a sandbox: the processes of its group, its home, its file of variables. */
export type Remains = { group?: number | undefined; home: string; envFile?: EnvFile | undefined };

/** How long what is left of a command's group may take to end. */
const leftMs = 2_000;
/** The system ends what is killed at once, unless it waits for a disk. */
const killedMs = 1_000;
const lookEveryMs = 10;

/** Leaves nothing behind; twice is as good as once. */
export async function clearAway({ group, home, envFile }: Remains): Promise<void> {
  if (group !== undefined) await endGroup(group, leftMs);
  rmSync(home, { recursive: true, force: true });
  if (envFile) deleteEnvFile(envFile);
}

/** Asks all processes of a group to end, and kills what is left of it after `graceMs`. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!signalGroup(group, "SIGTERM") || (await isGoneWithin(group, graceMs))) return;
  signalGroup(group, "SIGKILL");
  await isGoneWithin(group, killedMs);
}

async function isGoneWithin(group: number, ms: number): Promise<boolean> {
  const deadlineMs = performance.now() + ms;
  while (signalGroup(group, 0)) {
    if (performance.now() > deadlineMs) return false;
    await delay(lookEveryMs);
  }
  return true;
}
