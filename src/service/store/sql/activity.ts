import type { Activity, Actor } from "../../../contract/activity.ts";
import { createdOf, idBoundAt } from "../../domain/object-id.ts";
import type { Range } from "../../use-cases/event-store.ts";
import type { Scope } from "../../use-cases/ports.ts";
import { change, statement, type Statement, type Value } from "../driver.ts";

type ActivityRow = {
  id: string;
  livemode: number | null;
  actor_type: Actor["type"];
  actor_id: string | null;
  actor_name: string;
  action: Activity["action"];
  subject_id: string;
  subject_name: string | null;
  detail: string | null;
};
const columns =
  "id, livemode, actor_type, actor_id, actor_name, action, subject_id, subject_name, detail";

/** Writes what was done, in the transaction that does it; written again it stays as it is. */
export function insertActivity(activity: Activity): Statement<boolean> {
  return change(
    `INSERT INTO activity (account_id, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (account_id, id) DO NOTHING RETURNING id`,
    valuesOf(activity),
  );
}

/** The same of a payment's change, where that was written: its event has this id. */
export function insertChangeActivity(
  scope: Scope,
  { paymentId, eventId }: { paymentId: string; eventId: string },
  activity: Activity,
): Statement<boolean> {
  return change(
    `INSERT INTO activity (account_id, ${columns})
     SELECT account_id, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM payments
     WHERE account_id = $1 AND livemode = $11 AND id = $12 AND last_event_id = $13
     ON CONFLICT (account_id, id) DO NOTHING RETURNING id`,
    [...valuesOf(activity), Number(scope.livemode), paymentId, eventId],
  );
}

/** A part of what was done in an account: up to `limit` in the direction of travel. */
export function selectActivity(
  accountId: string,
  { below, above, direction, limit }: Range,
): Statement<Activity[]> {
  return statement(
    `SELECT ${columns} FROM activity
     WHERE account_id = $1 AND id COLLATE "C" < $2 AND id COLLATE "C" > $3
     ORDER BY id COLLATE "C" ${direction === "forward" ? "DESC" : "ASC"} LIMIT $4`,
    [accountId, below, above, limit],
    (rows: ActivityRow[]) => rows.map((row) => activityIn(row, accountId)),
  );
}

/** Deletes what is older than a time in Unix seconds, up to `limit` rows; answers how many. */
export function deleteActivity(
  accountId: string,
  before: number,
  limit: number,
): Statement<number> {
  return statement(
    `DELETE FROM activity WHERE account_id = $1 AND id IN
     (SELECT id FROM activity WHERE account_id = $1 AND id COLLATE "C" < $2
      ORDER BY id COLLATE "C" LIMIT ${limit}) RETURNING id`,
    [accountId, idBoundAt("act_", before)],
    (deleted) => deleted.length,
  );
}

function valuesOf(activity: Activity): Value[] {
  const { account, id, livemode, actor, action, subject, detail } = activity;
  return [
    account,
    id,
    livemode === null ? null : Number(livemode),
    actor.type,
    actor.id,
    actor.name,
    action,
    subject.id,
    subject.name,
    detail,
  ];
}

function activityIn(row: ActivityRow, account: string): Activity {
  return {
    id: row.id,
    object: "activity",
    account,
    livemode: row.livemode === null ? null : row.livemode === 1,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name } as Actor,
    action: row.action,
    subject: { id: row.subject_id, name: row.subject_name },
    detail: row.detail,
    created: createdOf(row.id),
  };
}
