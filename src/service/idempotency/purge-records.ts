import type { IdempotencyService } from "./run-idempotently.ts";
import { batchSize, repeatWhileFull } from "../database/due-work.ts";

/** Answers how many idempotency records were deleted. */
export async function purgeIdempotencyRecords(
  service: IdempotencyService,
  signal?: AbortSignal,
): Promise<number> {
  return await repeatWhileFull(async () => purgeSomeIdempotencyRecords(service), signal);
}

/** Purges one batch, which is too short to slow a command down. */
export async function purgeSomeIdempotencyRecords({
  store,
  clock,
}: IdempotencyService): Promise<number> {
  return await store.purgeIdempotencyRecords(clock(), batchSize);
}
