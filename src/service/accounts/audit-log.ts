import type { Action, Activity, Actor } from "../../contract/administration.ts";
import { type ListQuery, type Listed, resolveRange } from "../database/listing.ts";
import { batchSize, repeatWhileFull } from "../database/due-work.ts";
import type { AccountsService } from "./accounts-service.ts";

/** An action in an account, in one of its modes or in neither. */
export type AuditEvent = Pick<Activity, "action" | "subject"> & {
  accountId: string;
  livemode?: boolean;
  detail?: string | undefined;
};

/** Audit entries, to be written together with the change that they record; none where the service acts on its own. */
export function buildAuditEntries(
  service: AccountsService,
  actor: Actor | undefined,
  ...events: AuditEvent[]
): Activity[] {
  if (!actor) return [];
  return events.map(({ accountId, livemode = null, action, subject, detail = null }) => ({
    id: service.ids.activity(),
    object: "activity",
    account: accountId,
    livemode,
    actor,
    action,
    subject,
    detail,
    created: Math.floor(service.clock() / 1000),
  }));
}

/** `actor` is the id or the name of an operator or a key, or the name of a system's user. */
type ActivityQuery = ListQuery & { action?: Action | undefined; actor?: string | undefined };

/** One page of an account's audit log, newest first in both directions. */
export async function listActivity(
  { store }: AccountsService,
  accountId: string,
  query: ActivityQuery,
): Promise<Listed<Activity>> {
  const { action, actor } = query;
  const range = await resolveRange("act_", query, async () => true);
  const isId = actor !== undefined && /^(?:op|key)_/.test(actor);
  const by = isId ? { actorId: actor } : { actorName: actor };
  return await store.listActivity(accountId, { ...range, action, ...by });
}

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
