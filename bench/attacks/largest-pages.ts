import { spawn } from "node:child_process";
import { once } from "node:events";
import { createBody } from "../figure.ts";
import { makeLargePayments, startAttacked, type Observation } from "./attacked.ts";

const connections = 1_000;
const rounds = 10;

/** A thousand connections request the largest pages in a loop, while one client works. */
export async function attackWithLargestPages(): Promise<Observation[]> {
  const attacked = await startAttacked();
  await makeLargePayments(attacked);
  const attacker = spawn(
    process.execPath,
    [
      new URL("ask-for-pages.ts", import.meta.url).pathname,
      attacked.url,
      attacked.authorization,
      String(connections),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(attacker.stdout, "data"); // the attacker has its first response
  const worstMs = { create: 0, get: 0, list: 0 };
  for (let round = 0; round < rounds; round++) {
    const created = await attacked.serve("/v1/payments", createBody);
    const { id } = JSON.parse(created.text) as { id: string };
    const got = await attacked.serve(`/v1/payments/${id}`);
    const listed = await attacked.serve("/v1/payments");
    worstMs.create = Math.max(worstMs.create, created.ms);
    worstMs.get = Math.max(worstMs.get, got.ms);
    worstMs.list = Math.max(worstMs.list, listed.ms);
  }
  attacker.kill();
  const peak = attacked.peakMiB();
  await attacked.end();
  return [
    { what: `create beside ${connections} connections, worst ms`, seen: worstMs.create, max: 2e3 },
    { what: `get beside ${connections} connections, worst ms`, seen: worstMs.get, max: 2e3 },
    { what: `list beside ${connections} connections, worst ms`, seen: worstMs.list, max: 2e3 },
    { what: "peak memory at a heap of 384 MiB, MiB", seen: peak },
  ];
}
