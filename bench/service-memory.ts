import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import type { Figure } from "./figure.ts";
import { startPayments, stop } from "./service-process.ts";
import { body } from "./throughput.ts";

const creates = 300_000;
const reads = 1_000_000;
const connections = 32;
const maxMiB = 220;

/** The memory of a service, of all its processes together, after much work, against its maximum. */
export async function measureServiceMemory(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const service = await startPayments(`sqlite:${join(folder, "payments.db")}`);
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const create = { method: "POST", path: "/v1/payments", body, headers } as const;
  const made = await fetch(service.url + create.path, create);
  const { id } = (await made.json()) as { id: string };
  const measure = (after: string): Figure => {
    const residentMiB = readResidentMiB(service.child.pid);
    return {
      what: `memory of the service's processes after ${after}`,
      ours: `${residentMiB.toFixed(0)} MiB`,
      compared: `${maxMiB} MiB`,
      ratio: residentMiB / maxMiB,
      floor: "≤ 1",
    };
  };
  await sendRequests(service.url, create, creates);
  const afterCreates = measure(`${creates} creates`);
  await sendRequests(service.url, { path: `/v1/payments/${id}`, headers }, reads);
  const afterReads = measure(`${creates} creates and ${reads} reads`);
  await stop(service);
  rmSync(folder, { recursive: true });
  return [afterCreates, afterReads];
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

/** Of a process and those that it has started. */
function readResidentMiB(pid = 0): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").match(/\d+/g) ?? [];
  return children.reduce(
    (sum, child) => sum + readResidentMiB(Number(child)),
    Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024,
  );
}
