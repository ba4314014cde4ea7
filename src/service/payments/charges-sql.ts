import type { Activity } from "../../contract/administration.ts";
import { simulatorName } from "../../contract/headers.ts";
import { firstConditionParam, insertActivityWhere } from "../accounts/activity-sql.ts";
import {
  type Statement,
  type Value,
  changeOne,
  countChanges,
  createStatement,
  rowExists,
} from "../database/driver.ts";
import { leaseRows } from "../database/due-work.ts";
import {
  type Scope,
  type ScopeColumns,
  readScope,
  splitIntoSets,
  toValueList,
  whereScope,
} from "../database/scope.ts";
import type { IdempotencyRecord } from "../idempotency/idempotency-record.ts";
import { ifLocked } from "../idempotency/idempotency-records-sql.ts";
import type { PendingAction } from "./charge-state.ts";
import type { Payment } from "./payment-state.ts";
import type { ChargeUpdate, ChargesDue, DueCharge, StoredCharge } from "./payment-types.ts";
import { fromPayment } from "./payments-sql.ts";

type ChargeRow = {
  network: string;
  pending_action: PendingAction;
  reference: string | null;
  begun_at_ms: number;
  attempts: number;
  due_at_ms: number | null;
  challenge_url: string | null;
  challenged_at_ms: number | null;
};
type DueRow = ChargeRow & ScopeColumns & { payment: string };
const columns =
  "network, pending_action, reference, begun_at_ms, attempts, due_at_ms, challenge_url, challenged_at_ms";
const insertedColumns = `account_id, livemode, payment_id, ${columns}, undecided_since_ms`;

/** Writes the charge of a payment that the same transaction has written, unless it has one. */
export function insertCharge(
  scope: Scope,
  paymentId: string,
  charge: StoredCharge,
): Statement<boolean> {
  return changeOne(
    `INSERT INTO charges (${insertedColumns})
     SELECT account_id, livemode, id, $4, $5, $6, $7, $8, $9, $10, $11, $12 ${fromPayment}
     ON CONFLICT (account_id, livemode, payment_id) DO NOTHING`,
    toChargeValues(scope, paymentId, charge),
  );
}

/** Writes the charges of payments that the same transaction has written. */
export function insertCharges(
  charges: { scope: Scope; payment: Payment; charge: StoredCharge }[],
): Statement<number>[] {
  return splitIntoSets(charges).map((set) => {
    const rows = set.map(({ scope, payment, charge }) => toChargeValues(scope, payment.id, charge));
    const { sql, params } = toValueList(rows, 1);
    return countChanges(`INSERT INTO charges (${insertedColumns}) ${sql}`, params);
  });
}

function toChargeValues(scope: Scope, paymentId: string, charge: StoredCharge): Value[] {
  return [
    ...whereScope(scope),
    paymentId,
    charge.network,
    charge.pendingAction,
    charge.reference,
    charge.begunAtMs,
    charge.attempts,
    charge.dueAtMs,
    charge.challengeUrl,
    charge.challengedAtMs,
    // The simulator decides at once, and its charges are undecided only after their processing time.
    (charge.network === simulatorName ? charge.dueAtMs : null) ?? charge.begunAtMs,
  ];
}

export function selectCharge(scope: Scope, paymentId: string): Statement<StoredCharge | undefined> {
  return createStatement(
    `SELECT ${columns} FROM charges WHERE account_id = $1 AND livemode = $2 AND payment_id = $3`,
    [...whereScope(scope), paymentId],
    ([row]: ChargeRow[]) => row && readCharge(row),
  );
}

/** Writes the next state of a charge; returns false where its pending action is not `from`. */
export function updateCharge({ scope, paymentId, from, charge }: ChargeUpdate): Statement<boolean> {
  const { pendingAction = from, reference = null, attempts = 0, dueAtMs = null } = charge;
  const { challengeUrl = null, challengedAtMs = null } = charge;
  return changeOne(
    `UPDATE charges SET pending_action = $5, reference = COALESCE($6, reference), attempts = $7, due_at_ms = $8,
       challenge_url = $9, challenged_at_ms = COALESCE($10, challenged_at_ms)
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = $4`,
    [
      ...whereScope(scope),
      paymentId,
      from,
      pendingAction,
      reference,
      attempts,
      dueAtMs,
      challengeUrl,
      challengedAtMs,
    ],
  );
}

/** Takes the turn to ask about a customer who is at the bank, unless another caller had one within the interval. */
export function takeChallengeTurn(
  scope: Scope,
  paymentId: string,
  { nowMs, intervalMs }: { nowMs: number; intervalMs: number },
): Statement<StoredCharge | undefined> {
  return createStatement(
    `UPDATE charges SET asked_at_ms = $4
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = 'charge'
       AND challenge_url IS NOT NULL AND (asked_at_ms IS NULL OR asked_at_ms <= $5)
     RETURNING ${columns}`,
    [...whereScope(scope), paymentId, nowMs, nowMs - intervalMs],
    ([row]: ChargeRow[]) => row && readCharge(row),
  );
}

/**
 * Locks a charge without a pending action until the transaction ends, so that no other refund is requested meanwhile.
 */
export function lockCharge(scope: Scope, paymentId: string): Statement<boolean> {
  return changeOne(
    `UPDATE charges SET pending_action = pending_action
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = 'none'`,
    [...whereScope(scope), paymentId],
  );
}

/** Finds a charge that can be refunded; with `record`, only if that has claimed its key. */
function ifRefundable(
  record: IdempotencyRecord | undefined,
  at: number,
): { sql: string; params: Value[] } {
  const locked = record && ifLocked(record, at);
  return {
    sql: `FROM charges ${isRefundable(locked)}`,
    params: locked?.params ?? [],
  };
}

function isRefundable(locked: { sql: string } | undefined): string {
  return `WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = 'none'
     AND EXISTS (SELECT 1 ${fromPayment} AND status = 'succeeded')
     ${locked ? `AND EXISTS (SELECT 1 ${locked.sql})` : ""}`;
}

/**
 * Requests the refund of a succeeded payment, where no action is pending; with `record`, only if that has claimed its
 * key.
 */
export function requestRefundSql(
  scope: Scope,
  paymentId: string,
  { nowMs, dueAtMs }: { nowMs: number; dueAtMs: number },
  record?: IdempotencyRecord,
): Statement<boolean> {
  const locked = record && ifLocked(record, 6);
  return changeOne(
    `UPDATE charges SET pending_action = 'refund', attempts = 0, due_at_ms = $4, undecided_since_ms = $5
     ${isRefundable(locked)}`,
    [...whereScope(scope), paymentId, dueAtMs, nowMs, ...(locked?.params ?? [])],
  );
}

/** Cancels the charge of a payment that has failed before its outcome was known. */
export function giveUpCharge(
  scope: Scope,
  paymentId: string,
  cancelDueAtMs: number,
): Statement<boolean> {
  return changeOne(
    `UPDATE charges SET pending_action = 'cancel', attempts = 0, due_at_ms = $4, challenge_url = NULL
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = 'charge'`,
    [...whereScope(scope), paymentId, cancelDueAtMs],
  );
}

/** Whether any charge of a network is due, of one account or of all: a frequent query, which needs no transaction. */
export function isAnyChargeDue({
  nowMs,
  network,
  accountId,
}: Pick<ChargesDue, "nowMs" | "network"> & { accountId?: string }): Statement<boolean> {
  const isOwn = accountId === undefined ? "" : "AND account_id = $3";
  return rowExists(
    `SELECT payment_id FROM charges WHERE due_at_ms <= $1 AND network = $2 ${isOwn} ORDER BY due_at_ms LIMIT 1`,
    [nowMs, network, ...(accountId === undefined ? [] : [accountId])],
  );
}

const dueCharges = { table: "charges", due: "due_at_ms", lease: "due_at_ms", columns };

/** Leases due charges of a network, of one account or of all; returns them as they were. */
export function leaseDueCharges(due: ChargesDue, accountId?: string): Statement<DueCharge[]> {
  const ofNetwork = { sql: "AND network = $3", params: [due.network] };
  return leaseRows(
    dueCharges,
    due,
    accountId,
    (row: DueRow) => ({
      scope: readScope(row),
      payment: JSON.parse(row.payment) as Payment,
      charge: readCharge(row),
    }),
    ofNetwork,
  );
}

function readCharge(row: ChargeRow): StoredCharge {
  return {
    network: row.network,
    pendingAction: row.pending_action,
    reference: row.reference,
    begunAtMs: row.begun_at_ms,
    attempts: row.attempts,
    dueAtMs: row.due_at_ms,
    challengeUrl: row.challenge_url,
    challengedAtMs: row.challenged_at_ms,
  };
}

/** Writes an audit entry where the transaction has changed a payment, whose last event then has this id. */
export function insertChangeActivity(
  scope: Scope,
  { paymentId, eventId }: { paymentId: string; eventId: string },
  activity: Activity,
): Statement<boolean> {
  const where = {
    sql: `${fromPayment} AND last_event_id = $${firstConditionParam}`,
    params: [eventId],
  };
  return insertActivityWhere(scope, paymentId, activity, where);
}

/** Writes an audit entry where a refund is about to be requested: no action of the locked charge is pending. */
export function insertRefundActivity(
  scope: Scope,
  paymentId: string,
  activity: Activity,
  record?: IdempotencyRecord,
): Statement<boolean> {
  return insertActivityWhere(scope, paymentId, activity, ifRefundable(record, firstConditionParam));
}
