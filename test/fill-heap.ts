// Serves in a process whose heap gets full; prints what is answered before, then and after. Run with
// --max-old-space-size=512 and --expose-gc.
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "../src/server.ts";

const shed: unknown[] = [];
const server = await serve({
  database: "sqlite::memory:",
  host: "127.0.0.1",
  port: 0,
  log: {
    info: () => {},
    error: (fields) => shed.push((fields as { reason: string }).reason),
  },
});
const statusOf = async (path: string) => (await fetch(server.url + path)).status;
const isFull = () => process.memoryUsage().heapUsed > 0.85 * 512 * 1024 * 1024;

/** What is answered once it is this, or at the end of patience: the heap is looked at once a second. */
async function settled(status: number): Promise<number> {
  const endMs = performance.now() + 15_000;
  for (;;) {
    const answered = await statusOf("/v1/payments");
    if (answered === status || performance.now() > endMs) return answered;
    await delay(200);
  }
}

const before = await settled(401);
let kept: number[][] = [];
while (!isFull()) {
  kept.push(Array.from({ length: 10_000 }, () => 0.5));
  if (isFull()) globalThis.gc?.(); // what is full of waste is not full
}
await delay(2_500); // filling it has kept the event loop waiting, which is another reason to refuse
const full = [await settled(503), await statusOf("/healthz")];
kept = [];
globalThis.gc?.();
const after = await settled(401);
console.log(JSON.stringify({ before, full, after, shed, kept }));
await server.close();
