import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createBody } from "../figure.ts";
import { startPayments, stop } from "../service-process.ts";

/** A measurement during an attack, and its maximum. */
export type Observation = { what: string; seen: number; max?: number };

type Options = {
  prepare?: (database: string) => Promise<void>;
  flags?: string[];
  openFiles?: number;
  heapMiB?: number;
};

/** A service to be attacked, by default with the heap of a small container. */
export async function startAttacked({
  prepare,
  flags = [],
  openFiles,
  heapMiB = 384,
}: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), "payments-attack-"));
  const file = join(folder, "payments.db");
  await prepare?.(`sqlite:${file}`);
  const service = await startPayments(
    `sqlite:${file}`,
    ["--log-level", "silent", "--processing-time", "50ms", ...flags],
    [`--max-old-space-size=${heapMiB}`],
    openFiles,
  );
  const { pid } = service.child;
  let peakMiB = 0;
  const memoryMiB = () => Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) / 1024;
  const sampling = setInterval(() => {
    if (service.child.exitCode === null) peakMiB = Math.max(peakMiB, memoryMiB());
  }, 250);
  const authorization = `Bearer ${service.key}`;
  return {
    ...service,
    file,
    authorization,
    memoryMiB,
    peakMiB: () => peakMiB,
    /** Retries a request while it, or its connection, is refused; gives the time until it was served. */
    serve: async (path: string, body?: string): Promise<{ ms: number; text: string }> => {
      const startMs = performance.now();
      for (;;) {
        const answer = await fetch(`${service.url}${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: { authorization, "content-type": "application/json", connection: "close" },
          ...(body !== undefined && { body }),
        }).catch(() => undefined);
        if (!answer) {
          if (service.child.exitCode !== null)
            throw new Error("The service ended under the attack.");
          await delay(10);
          continue;
        }
        const text = await answer.text();
        if (answer.status < 300) return { ms: performance.now() - startMs, text };
        if (answer.status !== 503) throw new Error(`${path}: ${answer.status} ${text}`);
      }
    },
    end: async (): Promise<void> => {
      clearInterval(sampling);
      if (service.child.exitCode !== null) throw new Error("The service ended under the attack.");
      await stop(service);
      rmSync(folder, { recursive: true });
    },
  };
}
export type Attacked = Awaited<ReturnType<typeof startAttacked>>;

/** As many payments as the largest page has, each of the maximum size. */
export async function makeLargePayments(attacked: Attacked): Promise<void> {
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`${i}`.padEnd(40, "k"), "v".repeat(500)]),
  );
  const body = JSON.stringify({ ...(JSON.parse(createBody) as object), metadata });
  for (let count = 0; count < 100; count++) await attacked.serve("/v1/payments", body);
}
