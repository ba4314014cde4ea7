import { simulatorName } from "../../../contract/headers.ts";
import type { Payment } from "../../domain/payment-state.ts";
import type { IdempotencyRecord, Scope } from "../../ports/idempotency-record.ts";
import type { PendingAction } from "../../domain/charge-state.ts";
import type {
  Backlog,
  ChargeUpdate,
  ChargesDue,
  NetworkChargeCounts,
  DueCharge,
  StoredCharge,
} from "../../ports/payment-store.ts";
import { changeOne, rowExists, createStatement, type Statement, type Value } from "../driver.ts";
import { ifLocked } from "./idempotency-records-sql.ts";
import { fromPayment } from "./payments-sql.ts";
import { maxCounted, leaseRows } from "./due-sql.ts";
import { whereScope, readScope, type ScopeColumns } from "./scope-sql.ts";

type ChargeRow = {
  network: string;
  pending_action: PendingAction;
  reference: string | null;
  begun_at_ms: number;
  attempts: number;
  due_at_ms: number | null;
};
type DueRow = ChargeRow & ScopeColumns & { payment: string };
const columns = "network, pending_action, reference, begun_at_ms, attempts, due_at_ms";

/** Keeps the charge of a payment that was written before, in the same transaction, if it is its first. */
export function insertCharge(
  scope: Scope,
  paymentId: string,
  charge: StoredCharge,
): Statement<boolean> {
  return changeOne(
    `INSERT INTO charges (account_id, livemode, payment_id, ${columns}, undecided_since_ms)
     SELECT account_id, livemode, id, $4, $5, $6, $7, $8, $9, $10 ${fromPayment}
     ON CONFLICT (account_id, livemode, payment_id) DO NOTHING`,
    [
      ...whereScope(scope),
      paymentId,
      charge.network,
      charge.pendingAction,
      charge.reference,
      charge.begunAtMs,
      charge.attempts,
      charge.dueAtMs,
      // The simulator's outcome is known at once, and told when its processing time is over.
      charge.network === simulatorName ? charge.dueAtMs : charge.begunAtMs,
    ],
  );
}

export function selectCharge(scope: Scope, paymentId: string): Statement<StoredCharge | undefined> {
  return createStatement(
    `SELECT ${columns} FROM charges WHERE account_id = $1 AND livemode = $2 AND payment_id = $3`,
    [...whereScope(scope), paymentId],
    ([row]: ChargeRow[]) => row && chargeIn(row),
  );
}

/** Writes the next state of a charge of which `from` is pending; gives whether it was. */
export function updateCharge({ scope, paymentId, from, charge }: ChargeUpdate): Statement<boolean> {
  const { pendingAction = from, reference = null, attempts = 0, dueAtMs = null } = charge;
  return changeOne(
    `UPDATE charges SET pending_action = $5, reference = COALESCE($6, reference), attempts = $7, due_at_ms = $8
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = $4`,
    [...whereScope(scope), paymentId, from, pendingAction, reference, attempts, dueAtMs],
  );
}

/** Locks a charge of which nothing is pending until the transaction is over: no other refund is requested meanwhile. */
export function lockCharge(scope: Scope, paymentId: string): Statement<boolean> {
  return changeOne(
    `UPDATE charges SET pending_action = pending_action
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = 'none'`,
    [...whereScope(scope), paymentId],
  );
}

/** Finds a charge whose refund can be requested, as `ifLocked` finds a record; with `record`, only if that holds its key by now. */
export function ifRefundable(
  record: IdempotencyRecord | undefined,
  at: number,
): { sql: string; params: Value[] } {
  const held = record && ifLocked(record, at);
  return {
    sql: `FROM charges ${isRefundable(held)}`,
    params: held?.params ?? [],
  };
}

function isRefundable(held: { sql: string } | undefined): string {
  return `WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = 'none'
     AND EXISTS (SELECT 1 ${fromPayment} AND status = 'succeeded')
     ${held ? `AND EXISTS (SELECT 1 ${held.sql})` : ""}`;
}

/** Requests the refund of a payment that has succeeded, where nothing else is pending; with `record`, only if that holds its key by now. */
export function requestRefundSql(
  scope: Scope,
  paymentId: string,
  { nowMs, dueAtMs }: { nowMs: number; dueAtMs: number },
  record?: IdempotencyRecord,
): Statement<boolean> {
  const held = record && ifLocked(record, 6);
  return changeOne(
    `UPDATE charges SET pending_action = 'refund', attempts = 0, due_at_ms = $4, undecided_since_ms = $5
     ${isRefundable(held)}`,
    [...whereScope(scope), paymentId, dueAtMs, nowMs, ...(held?.params ?? [])],
  );
}

/** A payment has ended whose charge is not known: whatever was charged must be given back. */
export function giveUpCharge(scope: Scope, paymentId: string): Statement<boolean> {
  return changeOne(
    `UPDATE charges SET pending_action = 'cancel', attempts = 0, due_at_ms = 0
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND pending_action = 'charge'`,
    [...whereScope(scope), paymentId],
  );
}

/** Whether any charge of a network is due, of one account or of all: what is asked most often, and needs no transaction. */
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

/** The simulator's charges that are due, leased or not: since when, and how many. */
export function selectDue(nowMs: number): Statement<Pick<Backlog, "due" | "oldestAgeMs">> {
  return createStatement(
    `SELECT COUNT(*) AS due, MIN(undecided_since_ms) AS oldest FROM
     (SELECT undecided_since_ms FROM charges WHERE due_at_ms <= $1 AND network = $2
      AND undecided_since_ms <= $3 ORDER BY due_at_ms LIMIT ${maxCounted}) longest`,
    [Number.MAX_SAFE_INTEGER, simulatorName, nowMs],
    ([row]: { due: number; oldest: number | null }[]) => ({
      due: row?.due ?? 0,
      oldestAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}

/** The charges of networks that move money whose outcome is not known. */
export function selectUndecided(
  nowMs: number,
): Statement<Pick<Backlog, "undecided" | "oldestUndecidedAgeMs">> {
  return createStatement(
    `SELECT COUNT(*) AS undecided, MIN(undecided_since_ms) AS oldest FROM
     (SELECT undecided_since_ms FROM charges WHERE due_at_ms <= $1 AND network <> $2
      ORDER BY due_at_ms LIMIT ${maxCounted}) longest`,
    [Number.MAX_SAFE_INTEGER, simulatorName],
    ([row]: { undecided: number; oldest: number | null }[]) => ({
      undecided: row?.undecided ?? 0,
      oldestUndecidedAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}

/** Those of every network that moves money but one. */
export function selectElsewhereCounts(network: string): Statement<NetworkChargeCounts> {
  return createStatement(
    `SELECT COUNT(*) AS count, MIN(network) AS first FROM
     (SELECT network FROM charges WHERE due_at_ms <= $1 AND network NOT IN ($2, $3)
      ORDER BY due_at_ms LIMIT ${maxCounted}) longest`,
    [Number.MAX_SAFE_INTEGER, network, simulatorName],
    ([row]: { count: number; first: string | null }[]) => ({
      count: row?.count ?? 0,
      network: row?.first ?? undefined,
    }),
  );
}

const dueCharges = { table: "charges", due: "due_at_ms", lease: "due_at_ms", columns };

/** Leases charges of a network that are due, of one account or of all; gives what they were. */
export function leaseDueCharges(due: ChargesDue, accountId?: string): Statement<DueCharge[]> {
  const ofNetwork = { sql: "AND network = $3", params: [due.network] };
  return leaseRows(
    dueCharges,
    due,
    accountId,
    (row: DueRow) => ({
      scope: readScope(row),
      payment: JSON.parse(row.payment) as Payment,
      charge: chargeIn(row),
    }),
    ofNetwork,
  );
}

function chargeIn(row: ChargeRow): StoredCharge {
  return {
    network: row.network,
    pendingAction: row.pending_action,
    reference: row.reference,
    begunAtMs: row.begun_at_ms,
    attempts: row.attempts,
    dueAtMs: row.due_at_ms,
  };
}
