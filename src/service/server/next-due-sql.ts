import { createStatement, type Statement } from "../database/driver.ts";

/**
 * The next time after `nowMs` at which work comes due, in Unix milliseconds: a charge, a page that expires or whose
 * claim ends, a delivery to an endpoint with an address. Undefined where nothing will.
 */
export function selectNextDue(nowMs: number): Statement<number | undefined> {
  return createStatement(
    `SELECT MIN(due) AS due FROM (
     SELECT MIN(due_at_ms) AS due FROM charges WHERE due_at_ms > $1
     UNION ALL SELECT MIN(open_until_ms) FROM hosted_pages WHERE open_until_ms > $1
     UNION ALL SELECT MIN(claimed_until_ms) FROM hosted_pages WHERE open_until_ms <= $1 AND claimed_until_ms > $1
     UNION ALL SELECT MIN((SELECT MIN(due_at_ms) FROM deliveries waiting WHERE waiting.account_id = hook.account_id
      AND waiting.livemode = hook.livemode AND waiting.endpoint_id = hook.id AND waiting.due_at_ms > $1))
     FROM webhook_endpoints hook WHERE hook.status = 'enabled' AND hook.url IS NOT NULL) times`,
    [nowMs],
    ([row]: { due: number | null }[]) => row?.due ?? undefined,
  );
}
