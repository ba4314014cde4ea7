// Runs a service in a process whose heap fills up; prints the statuses before, during and after that. Run with
// --max-old-space-size=512 and --expose-gc.
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "../../../src/service/server/serve.ts";

const shed: unknown[] = [];
const server = await serve(
  {
    database: "sqlite::memory:",
    host: "127.0.0.1",
    port: 0,
    log: {
      info: () => {},
      warn: () => {},
      error: (fields) => shed.push((fields as { reason: string }).reason),
    },
  },
  { overload: { heapShare: 0.25, eventLoopDelayMs: Infinity, sampleEveryMs: 50 } },
);
const fetchStatus = async (path: string) => (await fetch(server.url + path)).status;
const hasRoom = () => process.memoryUsage().heapUsed < 0.3 * 512 * 1024 * 1024;

/** Repeats an action until requests get a status, since the service samples its heap at intervals. */
async function repeatUntil(status: number, act: () => void): Promise<number> {
  const endMs = performance.now() + 20_000;
  for (;;) {
    act();
    await delay(20);
    const current = await fetchStatus("/v1/payments");
    if (current === status || performance.now() > endMs) return current;
  }
}

const before = await repeatUntil(401, () => globalThis.gc?.()); // without the garbage of the start
let ballast: number[][] = [];
// Filling the heap makes garbage, too, which is collected later: each call fills it up once more.
const filled = await repeatUntil(503, () => {
  while (hasRoom()) ballast.push(Array.from({ length: 10_000 }, () => 0.5));
});
const full = [filled, await fetchStatus("/healthz")];
ballast = [];
const after = await repeatUntil(401, () => globalThis.gc?.());
console.log(JSON.stringify({ before, full, after, shed, ballast }));
await server.close();
