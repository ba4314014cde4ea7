// Serves in a process whose heap gets full; prints what is answered before, then and after. Run with
// --max-old-space-size=512 and --expose-gc.
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "../../../src/service/server/server.ts";

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
const statusOf = async (path: string) => (await fetch(server.url + path)).status;
const hasRoom = () => process.memoryUsage().heapUsed < 0.3 * 512 * 1024 * 1024;

/** Does something again and again until requests are answered so: the heap is looked at now and then. */
async function until(status: number, act: () => void): Promise<number> {
  const endMs = performance.now() + 20_000;
  for (;;) {
    act();
    await delay(20);
    const answered = await statusOf("/v1/payments");
    if (answered === status || performance.now() > endMs) return answered;
  }
}

const before = await until(401, () => globalThis.gc?.()); // what the start left behind is gone
let kept: number[][] = [];
// What it is filled with leaves waste behind, which goes by itself: so it is filled up again.
const filled = await until(503, () => {
  while (hasRoom()) kept.push(Array.from({ length: 10_000 }, () => 0.5));
});
const full = [filled, await statusOf("/healthz")];
kept = [];
const after = await until(401, () => globalThis.gc?.());
console.log(JSON.stringify({ before, full, after, shed, kept }));
await server.close();
