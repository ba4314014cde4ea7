import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { findProgramBeside } from "../../runtime/child-programs.ts";
import { tryParseJson } from "../../runtime/text.ts";
import type { Log } from "../../runtime/log.ts";
import { computeBackoff } from "../../runtime/time.ts";
import type { Service } from "../service.ts";
import type { Job } from "./scheduler.ts";

/** Payments are indexed many at a time, which costs less; at rest, some seconds may pass before a payment is. */
const pauses = { behindMs: 100, defaultMs: 1_000, idleMs: 5_000, failedMs: 30_000 };

/** Indexes what is due; the leases of the indexes let one replica write each. */
export function createIndexJob(indexPayments: Service["indexPayments"]): Job {
  let pauseMs = pauses.behindMs;
  let merged: Promise<unknown> = Promise.resolve();
  let mergeFailure: { error: unknown } | undefined;
  return {
    due: async (signal) => delay(pauseMs, undefined, { signal, ref: false }),
    run: async (signal) => {
      const longerMs = 2 * Math.max(pauseMs, pauses.defaultMs);
      pauseMs = Math.min(longerMs, pauses.failedMs);
      const failed = mergeFailure;
      mergeFailure = undefined;
      if (failed) throw failed.error;
      const pass = await indexPayments(signal);
      merged = pass.merged.catch((error: unknown) => {
        if (!signal.aborted) mergeFailure = { error };
      });
      if (pass.hasMore) pauseMs = pauses.behindMs;
      else if (pass.indexed > 0) pauseMs = pauses.defaultMs;
      else pauseMs = Math.min(longerMs, pauses.idleMs);
    },
    finish: async () => void (await merged),
  };
}

const backoff = { minMs: 1_000, maxMs: 60_000 };
/** How long it may take to end; then it is killed, which loses nothing. */
const endMs = 5_000;

/**
 * Runs the process that writes the search index, and starts it again where it ends; the returned function ends it. It
 * has the rest of the machine, so that a service at full load answers no slower. A new process goes on with the leases
 * of the one before.
 */
export function startIndexProcess(database: string, log: Log | undefined): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = (async () => {
    const owner = randomUUID();
    for (let failures = 0; !signal.aborted; failures++) {
      const startMs = performance.now();
      const code = await runOnce({ database, owner }, log, signal);
      if (signal.aborted) return;
      if (performance.now() - startMs > backoff.maxMs) failures = 0;
      log?.error(
        { exit_code: code },
        "the process that indexes payments has ended; it starts again",
      );
      await delay(computeBackoff(failures, backoff), undefined, { signal }).catch(() => {});
    }
  })();
  return async () => {
    stopped.abort();
    await running;
  };
}

async function runOnce(
  task: { database: string; owner: string },
  log: Log | undefined,
  signal: AbortSignal,
): Promise<number | null> {
  // It gets its database below, and the password that PGPASSWORD may have, but none of the service's keys and secrets.
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("PAYMENTS_"));
  const child = spawn(process.execPath, [findProgramBeside(import.meta.url, "index-process")], {
    env: Object.fromEntries(variables),
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const ended = once(child, "close").catch(() => [null]) as Promise<[number | null]>;
  child.stdin.on("error", () => {}); // it has ended
  child.stdin.write(`${JSON.stringify(task)}\n`);
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
