import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isSea } from "node:sea";
import { setTimeout as delay } from "node:timers/promises";
import { findProgramBeside } from "../../runtime/child-programs.ts";
import { tryParseJson } from "../../runtime/text.ts";
import type { Log } from "../../runtime/log.ts";
import { computeBackoff } from "../../runtime/time.ts";
import type { Service } from "../service.ts";
import { type Job, createDueSchedule } from "./scheduler.ts";

/**
 * Payments are indexed many at a time, which costs less: where fewer come, the pauses grow. Until then searches look at
 * them directly, which is refused where they are more than `maxUnindexed`: so many new ones end a pause.
 */
const pauses = { behindMs: 100, minMs: 1_000, maxMs: 5_000, failedMs: 30_000 };
const manyPayments = 4_096;
const newPayments = 8_192;

/** When payments are indexed: a while after some were created, and as soon as these are many. */
export function createIndexSchedule(stepMs = 1_000) {
  const { wakeAt, wait } = createDueSchedule(stepMs);
  let created = 0;
  let tell: (() => void) | undefined;
  return {
    wait,
    onCreated: (atMs: number): void => {
      wakeAt(atMs);
      created += 1;
      if (created % newPayments === 0) tell?.();
    },
    /** Has a function called when many payments are new. */
    onMany: (call: () => void): void => void (tell = call),
  };
}

/** Indexes what is due; the leases of the indexes let one replica write each. */
export function createIndexJob(
  indexPayments: Service["indexPayments"],
): Job & { endPause: () => void } {
  let pauseMs = pauses.behindMs;
  let pause = new AbortController();
  let merged: Promise<unknown> = Promise.resolve();
  let mergeFailure: { error: unknown } | undefined;
  return {
    endPause: () => pause.abort(),
    due: async (signal) => {
      pause = new AbortController();
      const ended = AbortSignal.any([signal, pause.signal]);
      await delay(pauseMs, undefined, { signal: ended, ref: false });
    },
    run: async (signal) => {
      const longerMs = 2 * Math.max(pauseMs, pauses.minMs);
      const shorterMs = pauseMs / 2;
      pauseMs = Math.min(longerMs, pauses.failedMs);
      const failed = mergeFailure;
      mergeFailure = undefined;
      if (failed) throw failed.error;
      const pass = await indexPayments(signal);
      merged = pass.merged.catch((error: unknown) => {
        if (!signal.aborted) mergeFailure = { error };
      });
      if (pass.hasMore) pauseMs = pauses.behindMs;
      else if (pass.indexed >= manyPayments) pauseMs = Math.max(shorterMs, pauses.minMs);
      else pauseMs = Math.min(longerMs, pauses.maxMs);
    },
    finish: async () => void (await merged),
  };
}

const backoff = { minMs: 1_000, maxMs: 60_000 };
/** How long it may take to end; then it is killed, which loses nothing. */
const endMs = 5_000;
/** A process that sleeps takes 50 MB, and starting one a tenth of a second of a processor. */
const defaultQuietMs = 60_000;

/** Nearly all that a batch needs is garbage soon: V8 gets little room for it, and malloc one place for all threads. */
const heapFlags = ["--max-semi-space-size=2", "--heap-growing-percent=20"];
const heapEnvironment = { MALLOC_ARENA_MAX: "1" };

type ProcessOptions = {
  /** Some payments have been written, or others may have written some. */
  schedule: ReturnType<typeof createIndexSchedule>;
  /** Whether there are any. */
  isAny: () => Promise<boolean>;
  log: Log | undefined;
  /** After how long without anything to do the process ends, in milliseconds; a minute by default. */
  quietMs?: number;
};

/**
 * Runs the process that writes the search index while there is something to index. It has the rest of the machine, so
 * that a service at full load answers no slower, and ends when nothing has come for a while. One that fails starts again
 * later, and goes on with the leases of the one before.
 */
export function createIndexProcessJob(
  database: string,
  { schedule, isAny, log, quietMs = defaultQuietMs }: ProcessOptions,
): Job {
  const owner = randomUUID();
  let failures = 0;
  return {
    due: async (signal) =>
      failures === 0
        ? schedule.wait(signal)
        : delay(computeBackoff(failures - 1, backoff), undefined, { signal }),
    run: async (signal) => {
      if (!(await isAny())) return;
      const startMs = performance.now();
      const code = await runProcess({ database, owner, quietMs }, { schedule, log, signal });
      const hasFailed = code !== 0 && !signal.aborted;
      if (!hasFailed || performance.now() - startMs > backoff.maxMs) failures = 0;
      if (!hasFailed) return;
      failures += 1;
      log?.error(
        { exit_code: code },
        "the process that indexes payments has ended; it starts again",
      );
    },
  };
}

/** The first line on the standard input of the process; each later one means that many payments are new. */
export type IndexTask = { database: string; owner: string; quietMs: number };

async function runProcess(
  task: IndexTask,
  { schedule, log, signal }: Pick<ProcessOptions, "schedule" | "log"> & { signal: AbortSignal },
): Promise<number | null> {
  // It gets its database below, and the password that PGPASSWORD may have, but none of the service's keys and secrets.
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("PAYMENTS_"));
  const program = findProgramBeside(import.meta.url, "index-process");
  const flags = isSea() ? [] : heapFlags; // the arguments of the executable are the command's
  const child = spawn(process.execPath, [...flags, program], {
    env: { ...heapEnvironment, ...Object.fromEntries(variables) },
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const ended = once(child, "close").catch(() => [null]) as Promise<[number | null]>;
  child.stdin.on("error", () => {}); // it has ended
  child.stdin.write(`${JSON.stringify(task)}\n`);
  schedule.onMany(() => child.stdin.writable && child.stdin.write("\n"));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { message = line, ...fields } = (tryParseJson(line) ?? {}) as { message?: string };
    log?.error(fields, message);
  });
  const end = () => {
    child.stdin.end();
    setTimeout(() => child.kill("SIGKILL"), endMs).unref();
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  const [code] = await ended;
  signal.removeEventListener("abort", end);
  return code;
}
