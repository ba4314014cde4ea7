import type { Activity, Actor } from "../ports/activity.ts";
import { defaultPageSize } from "../../contract/routes.ts";
import { maxIdOf } from "../domain/object-id.ts";
import type { Listed } from "../domain/list-range.ts";
import type { Ports } from "../ports/ports.ts";

/** What is done in an account, in one of its modes or in neither. */
export type AuditEvent = {
  accountId: string;
  livemode?: boolean;
  action: Activity["action"];
  subject: Activity["subject"];
  detail?: string;
};

/** What is kept of who does something: nothing where the service does it on its own. */
export function buildAuditEntries(
  ports: Ports,
  actor: Actor | undefined,
  deed: AuditEvent,
): Activity[] {
  if (!actor) return [];
  const { accountId, livemode = null, action, subject, detail = null } = deed;
  return [
    {
      id: ports.ids.activity(),
      object: "activity",
      account: accountId,
      livemode,
      actor,
      action,
      subject,
      detail,
      created: Math.floor(ports.clock() / 1000),
    },
  ];
}

type ActivityPage = {
  limit?: number | undefined;
  startingAfter?: string | undefined;
  endingBefore?: string | undefined;
};

/** What was done in an account, newest first in both directions. */
export async function listActivity(
  { store }: Ports,
  accountId: string,
  { limit = defaultPageSize, startingAfter, endingBefore }: ActivityPage,
): Promise<Listed<Activity>> {
  return await store.listActivity(accountId, {
    below: startingAfter ?? maxIdOf("act_"),
    above: endingBefore ?? "",
    direction: endingBefore === undefined ? "forward" : "backward",
    limit,
  });
}
