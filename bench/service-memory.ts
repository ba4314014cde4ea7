import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import type { Figure } from "./figure.ts";
import { startPayments, stop } from "./service-process.ts";
import { body } from "./throughput.ts";

const creates = 300_000;
const reads = 1_000_000;
const connections = 32;
const mostMiB = 200;

/** The memory of a service after much work, against its maximum. */
export async function measureServiceMemory(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const service = await startPayments(`sqlite:${join(folder, "payments.db")}`);
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const create = { method: "POST", path: "/v1/payments", body, headers } as const;
  const made = await fetch(service.url + create.path, create);
  const { id } = (await made.json()) as { id: string };
  await sendRequests(service.url, create, creates);
  await sendRequests(service.url, { path: `/v1/payments/${id}`, headers }, reads);
  const residentMiB = residentKiB(service.child.pid) / 1024;
  await stop(service);
  rmSync(folder, { recursive: true });
  return [
    {
      what: `memory of the service after ${creates} creates and ${reads} reads`,
      ours: `${residentMiB.toFixed(0)} MiB`,
      compared: `${mostMiB} MiB`,
      ratio: residentMiB / mostMiB,
      floor: "≤ 1.2",
    },
  ];
}

/** Sends so many requests; one that fails ends the run. */
async function sendRequests(
  url: string,
  request: autocannon.Request,
  amount: number,
): Promise<void> {
  const result = await autocannon({ url, connections, amount, requests: [request] });
  if (result["2xx"] !== amount) throw new Error("Some requests failed.");
}

function residentKiB(pid = 0): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
}
