import type { AccountsService } from "./accounts-service.ts";
import { batchSize, repeatWhileFull } from "../database/repeat-work.ts";

const auditRetentionDays = 365;

/**
 * Purges audit entries that are older than a year, and the invitations and sessions that have ended. Answers how many
 * were deleted.
 */
export async function purgeAuditLog(
  { store, clock }: AccountsService,
  signal?: AbortSignal,
): Promise<number> {
  const before = Math.floor(clock() / 1000) - auditRetentionDays * 24 * 60 * 60;
  let sum = await repeatWhileFull(async () => store.purgeSessions(clock(), batchSize), signal);
  for (const { id } of await store.listAccounts()) {
    sum += await repeatWhileFull(async () => store.purgeActivity(id, before, batchSize), signal);
  }
  return sum;
}
