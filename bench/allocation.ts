import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import autocannon from "autocannon";
import type { Figure } from "./figure.ts";
import { command, startPayments, stop } from "./service-process.ts";
import { body } from "./throughput.ts";

const warmUp = 5_000;
const creates = 20_000;
const connections = 32;
const maxKb = 38;
const shown = 10;
/** Another build is measured the same way. */
const program = process.env["PAYMENTS_PROGRAM"] ?? command;

/**
 * The bytes that a service on SQLite allocates for a create without an idempotency key, and the functions that allocate
 * most. Nearly all of it is freed soon, but the collector's work grows with it.
 */
export async function measureAllocation(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const database = `sqlite:${join(folder, "payments.db")}`;
  const allocation = sampleAllocation(join(folder, "allocated.json"));
  const service = await startPayments(database, [], allocation.flags, undefined, program);
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const create = { method: "POST", path: "/v1/payments", headers, body } as const;
  const send = async (amount: number) => {
    const sent = { url: service.url, connections, amount, requests: [create] };
    if ((await autocannon(sent))["2xx"] !== amount) throw new Error("Some requests failed.");
  };
  await send(warmUp);
  await allocation.toggle(service.child);
  await send(creates);
  const bytesOf = await allocation.toggle(service.child);
  await stop(service);
  rmSync(folder, { recursive: true });
  const kbOf = Object.entries(bytesOf).map(([name, bytes]) => ({
    name,
    kb: bytes / creates / 1000,
  }));
  const largest = kbOf.toSorted((a, b) => b.kb - a.kb).slice(0, shown);
  for (const { name, kb } of largest) console.log(`${kb.toFixed(2).padStart(6)} KB  ${name}`);
  const allocated = kbOf.reduce((sum, { kb }) => sum + kb, 0);
  return [
    {
      what: `allocated a create on SQLite, ${connections} connections`,
      ours: `${allocated.toFixed(1)} KB`,
      compared: `${maxKb} KB`,
      ratio: allocated / maxKb,
      floor: "≤ 1",
    },
  ];
}

export type Allocation = ReturnType<typeof sampleAllocation>;

/**
 * Samples what a process allocates, which it is started for with `flags`. `toggle` begins it, or ends it and returns the
 * bytes of each function.
 */
export function sampleAllocation(report: string) {
  const sampler = `
    import { renameSync, writeFileSync } from "node:fs";
    import { Session } from "node:inspector/promises";
    const session = new Session();
    session.connect();
    let isSampling = false;
    process.on("SIGUSR2", async () => {
      const bytesOf = {};
      const add = ({ callFrame: { functionName, url, lineNumber }, selfSize, children }) => {
        const name = (functionName || "(anonymous)") + " " + url.split("/").slice(-2).join("/") + ":" + (lineNumber + 1);
        bytesOf[name] = (bytesOf[name] ?? 0) + selfSize;
        children.forEach(add);
      };
      if (!isSampling) {
        await session.post("HeapProfiler.startSampling", {
          samplingInterval: 8192,
          includeObjectsCollectedByMajorGC: true,
          includeObjectsCollectedByMinorGC: true,
        });
      } else add((await session.post("HeapProfiler.stopSampling")).profile.head);
      isSampling = !isSampling;
      writeFileSync(${JSON.stringify(`${report}.new`)}, JSON.stringify(bytesOf));
      renameSync(${JSON.stringify(`${report}.new`)}, ${JSON.stringify(report)});
    });`;
  return {
    flags: ["--import", `data:text/javascript,${encodeURIComponent(sampler)}`],
    toggle: async ({ pid = 0 }: Pick<ChildProcess, "pid">): Promise<Record<string, number>> => {
      const deadline = AbortSignal.timeout(30_000);
      process.kill(pid, "SIGUSR2");
      while (!existsSync(report)) await delay(10, undefined, { signal: deadline });
      const bytesOf = JSON.parse(readFileSync(report, "utf8")) as Record<string, number>;
      rmSync(report);
      return bytesOf;
    },
  };
}
