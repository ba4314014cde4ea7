import { batchSize, repeatWhileFull } from "../database/repeat-work.ts";
import type { Ports } from "../ports/ports.ts";

/** Answers how many idempotency records were deleted. */
export async function purgeIdempotencyRecords(ports: Ports, signal?: AbortSignal): Promise<number> {
  return await repeatWhileFull(async () => purgeSomeIdempotencyRecords(ports), signal);
}

/** Purges one batch, which is too short to slow a command down. */
export async function purgeSomeIdempotencyRecords({ store, clock }: Ports): Promise<number> {
  return await store.purgeIdempotencyRecords(clock(), batchSize);
}
