import type { Activity, Actor } from "../../../contract/activity.ts";
import { parseCreated, toIdBound } from "../../domain/object-id.ts";
import type { Range } from "../../domain/list-range.ts";
import type { IdempotencyRecord, Scope } from "../../ports/idempotency-record.ts";
import { changeOne, countChanges, createStatement, type Statement, type Value } from "../driver.ts";
import { ifRefundable } from "./charges-sql.ts";
import { fromPayment } from "./payments-sql.ts";
import { whereScope } from "./scope-sql.ts";

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
  return changeOne(
    `INSERT INTO activity (account_id, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (account_id, id) DO NOTHING`,
    [activity.account, ...valuesOf(activity)],
  );
}

/** Where the parameters begin by which a row is found. */
const ownFrom = 13;

/** The same of what is done to a payment, where a row is found by it; the first three parameters name the payment. */
function insertActivityWhere(
  scope: Scope,
  paymentId: string,
  activity: Activity,
  foundBy: { sql: string; params: Value[] },
): Statement<boolean> {
  return changeOne(
    `INSERT INTO activity (account_id, ${columns})
     SELECT account_id, $4, $5, $6, $7, $8, $9, $10, $11, $12 ${foundBy.sql}
     ON CONFLICT (account_id, id) DO NOTHING`,
    [...whereScope(scope), paymentId, ...valuesOf(activity), ...foundBy.params],
  );
}

/** The same of a payment's change, after that was written: its event has this id then. */
export function insertChangeActivity(
  scope: Scope,
  { paymentId, eventId }: { paymentId: string; eventId: string },
  activity: Activity,
): Statement<boolean> {
  const foundBy = { sql: `${fromPayment} AND last_event_id = $${ownFrom}`, params: [eventId] };
  return insertActivityWhere(scope, paymentId, activity, foundBy);
}

/** The same of a refund, before it is wanted: of its charge, which is locked, nothing is wanted then. */
export function insertRefundActivity(
  scope: Scope,
  paymentId: string,
  activity: Activity,
  record?: IdempotencyRecord,
): Statement<boolean> {
  return insertActivityWhere(scope, paymentId, activity, ifRefundable(record, ownFrom));
}

/** A part of what was done in an account: up to `limit` in the direction of travel. */
export function selectActivity(
  accountId: string,
  { below, above, direction, limit }: Range,
): Statement<Activity[]> {
  return createStatement(
    `SELECT ${columns} FROM activity
     WHERE account_id = $1 AND id < $2 AND id > $3
     ORDER BY id ${direction === "forward" ? "DESC" : "ASC"} LIMIT $4`,
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
  return countChanges(
    `DELETE FROM activity WHERE account_id = $1 AND id IN
     (SELECT id FROM activity WHERE account_id = $1 AND id < $2
      ORDER BY id LIMIT ${limit})`,
    [accountId, toIdBound("act_", before)],
  );
}

function valuesOf(activity: Activity): Value[] {
  const { id, livemode, actor, action, subject, detail } = activity;
  return [
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
    created: parseCreated(row.id),
  };
}
