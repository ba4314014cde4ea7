import type { Activity, Actor } from "../ports/activity.ts";
import { resolveRange, type Listed, type ListQuery } from "../domain/list-range.ts";
import type { Ports } from "../ports/ports.ts";

/** An action in an account, in one of its modes or in neither. */
export type AuditEvent = Pick<Activity, "action" | "subject"> & {
  accountId: string;
  livemode?: boolean;
  detail?: string | undefined;
};

/** Audit entries, to be written together with the change that they record; none where the service acts on its own. */
export function buildAuditEntries(
  ports: Ports,
  actor: Actor | undefined,
  ...events: AuditEvent[]
): Activity[] {
  if (!actor) return [];
  return events.map(({ accountId, livemode = null, action, subject, detail = null }) => ({
    id: ports.ids.activity(),
    object: "activity",
    account: accountId,
    livemode,
    actor,
    action,
    subject,
    detail,
    created: Math.floor(ports.clock() / 1000),
  }));
}

/** One page of an account's audit log, newest first in both directions. */
export async function listActivity(
  { store }: Ports,
  accountId: string,
  query: ListQuery,
): Promise<Listed<Activity>> {
  return await store.listActivity(accountId, await resolveRange("act_", query, async () => true));
}
