import type { Ports } from "./service.ts";

/** How many payments wait to be settled, 10,000 at the most, and for how long the longest waiting does. */
export type SettlementBacklog = { due: number; oldestAgeMs: number };

/** Tells how far the settling of payments is behind; 0 for both where it is not. */
export async function settlementBacklog({
  store,
  clock,
}: Pick<Ports, "store" | "clock">): Promise<SettlementBacklog> {
  const nowMs = clock();
  const { due, oldestDueAtMs = nowMs } = await store.backlog(nowMs);
  return { due, oldestAgeMs: nowMs - oldestDueAtMs };
}
