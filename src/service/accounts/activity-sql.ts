import type { Activity, Actor } from "../../contract/administration.ts";
import { type Statement, type Value, countChanges } from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";
import type { ListedTable } from "../database/listing.ts";
import { parseCreated, toIdBound } from "../database/ids.ts";
import {
  createSetText,
  listValues,
  splitIntoSets,
  type Scope,
  whereScope,
} from "../database/scope.ts";

type ActivityRow = {
  account_id: string;
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

const insertText = createSetText(
  (rows) =>
    `INSERT INTO activity (account_id, ${columns}) ${listValues(rows, 10, 1)} ON CONFLICT (account_id, id) DO NOTHING`,
);

/** Writes audit entries in the transaction of their actions, unless they exist. */
export function insertActivities(activities: readonly Activity[]): Statement<number>[] {
  return splitIntoSets([...activities]).map((set) => {
    const rows = set.flatMap((each) => [each.account, ...toValues(each)]);
    return countChanges(insertText(set.length), rows);
  });
}

/** Writes an audit entry where the transaction has changed a payment, whose last event then has this id. */
export function insertChangeActivity(
  scope: Scope,
  paymentId: string,
  eventId: string,
  activity: Activity,
): Statement<number> {
  return insertActivityWhere(scope, paymentId, activity, {
    sql: "FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3 AND last_event_id = $13",
    params: [eventId],
  });
}

/**
 * Writes an audit entry where a condition finds a row; the first three parameters name a payment, those of the
 * condition begin with $13.
 */
export function insertActivityWhere(
  scope: Scope,
  paymentId: string,
  activity: Activity,
  { sql, params }: { sql: string; params: Value[] },
): Statement<number> {
  return countChanges(
    `INSERT INTO activity (account_id, ${columns})
     SELECT account_id, $4, $5, $6, $7, $8, $9, $10, $11, $12 ${sql}
     ON CONFLICT (account_id, id) DO NOTHING`,
    [...whereScope(scope), paymentId, ...toValues(activity), ...params],
  );
}

export const activityTable: ListedTable<Activity> = {
  from: "activity",
  columns: `account_id, ${columns}`,
  readItem: readActivity,
};

/** Deletes up to `limit` entries from before a time in Unix seconds; returns how many. */
export function deleteActivity(
  accountId: string,
  before: number,
  limit: number,
): Statement<number> {
  const where = "account_id = $1 AND id < $2";
  return countChanges(
    `DELETE FROM activity WHERE account_id = $1 AND ${isAmongFirst("activity", { key: "id", where, orderBy: "id", limit })}`,
    [accountId, toIdBound("act_", before)],
  );
}

function toValues(activity: Activity): Value[] {
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

function readActivity(row: ActivityRow): Activity {
  return {
    id: row.id,
    object: "activity",
    account: row.account_id,
    livemode: row.livemode === null ? null : row.livemode === 1,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name } as Actor,
    action: row.action,
    subject: { id: row.subject_id, name: row.subject_name },
    detail: row.detail,
    created: parseCreated(row.id),
  };
}
