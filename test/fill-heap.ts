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
const samples = 2_500; // the heap is looked at once a second

const before = await statusOf("/v1/payments");
let kept: number[][] = [];
while (process.memoryUsage().heapUsed < 0.85 * 512 * 1024 * 1024)
  kept.push(Array.from({ length: 10_000 }, () => 0.5));
await delay(samples);
const full = [await statusOf("/v1/payments"), await statusOf("/healthz")];
kept = [];
globalThis.gc?.();
await delay(samples);
const after = await statusOf("/v1/payments");
console.log(JSON.stringify({ before, full, after, shed, kept }));
await server.close();
