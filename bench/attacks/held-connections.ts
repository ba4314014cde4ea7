import { execFileSync, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createBody } from "../figure.ts";
import { startAttacked, type Attacked, type Observation } from "./attacked.ts";

const openFileLimits = [64, 256, 1_024, 65_536];
const seconds = 60;
/** Of one attacking process: each connection takes a descriptor, and a port of its address. */
const connectionsOfProcess = 10_000;

/** Twice as many connections as a service may open files, silent or worse, for a minute. */
export async function attackWithHeldConnections(): Promise<Observation[]> {
  const possible = Number(execFileSync("sh", ["-c", "ulimit -H -n"], { encoding: "utf8" }));
  const observations: Observation[] = [];
  for (const limit of openFileLimits) {
    const openFiles = Math.min(limit, possible || Infinity);
    if (openFiles < limit) console.log(`This user may open ${openFiles} files, not ${limit}.`);
    observations.push(...(await holdAgainst(openFiles)));
  }
  return observations;
}

async function holdAgainst(openFiles: number): Promise<Observation[]> {
  // The heap must be large enough for so many connections.
  const attacked = await startAttacked({
    openFiles,
    flags: ["--metrics-port", "0"],
    heapMiB: 2_048,
  });
  const { pid = 0 } = attacked.child;
  const countDescriptors = () => readdirSync(`/proc/${pid}/fd`).length;
  await attacked.serve("/v1/payments", createBody);
  const seen: Record<string, number> = { before: countDescriptors() };
  const attackers = startAttackers(attacked.url, 2 * openFiles);
  let slowestProbeMs = 0;
  const startMs = performance.now();
  for (let second = 1; second <= seconds; second++) {
    await delay(Math.max(0, startMs + second * 1_000 - performance.now()));
    if (second % 5 === 0) seen[`${second} s`] = countDescriptors();
    slowestProbeMs = Math.max(slowestProbeMs, await probe(attacked));
  }
  for (const attacker of attackers) attacker.kill();
  const endMs = performance.now();
  const { text } = await attacked.serve("/v1/payments", createBody);
  await attacked.serve(`/v1/payments/${(JSON.parse(text) as { id: string }).id}`);
  const servedAfterMs = performance.now() - endMs;
  for (let second = 0; second < 30 && countDescriptors() > (seen["before"] ?? 0); second++) {
    await delay(1_000); // the system may still have connections to hand over
  }
  seen["after"] = countDescriptors();
  console.table({ [`descriptors at a limit of ${openFiles}`]: seen });
  const peak = attacked.peakMiB();
  await attacked.end();
  const maxSeen = Math.max(...Object.values(seen));
  const at = `at a limit of ${openFiles}`;
  return [
    { what: `descriptors ${at}`, seen: maxSeen, max: openFiles - 1 },
    {
      what: `descriptors more than before ${at}`,
      seen: seen["after"] - (seen["before"] ?? 0),
      max: 4,
    },
    { what: `slowest probe ${at}, ms`, seen: slowestProbeMs, max: 5_000 },
    { what: `create and get when it is over ${at}, ms`, seen: servedAfterMs, max: 10_000 },
    { what: `peak memory ${at}, MiB`, seen: peak },
  ];
}

function startAttackers(url: string, connections: number) {
  const processes = Math.ceil(connections / connectionsOfProcess);
  return Array.from({ length: processes }, (_, index) => {
    const script = new URL("hold-connections.ts", import.meta.url).pathname;
    const count = String(Math.ceil(connections / processes));
    const source = `127.0.0.${index + 1}`;
    return spawn(process.execPath, [script, url, count, source], { stdio: "inherit" });
  });
}

/** The response time of the port of metrics and probes. */
async function probe({ metricsUrl }: Attacked): Promise<number> {
  const startMs = performance.now();
  const response = await fetch(`${metricsUrl}/healthz`, { headers: { connection: "close" } });
  if (response.status !== 200) throw new Error(`/healthz answered ${response.status}.`);
  await response.text();
  return performance.now() - startMs;
}
