import type { Activity } from "../../contract/administration.ts";
import { simulatorName } from "../../contract/route.ts";
import { insertActivityWhere } from "../accounts/accounts-store.ts";
import {
  type Statement,
  changeOne,
  countChanges,
  createStatement,
  rowExists,
} from "../database/driver.ts";
import { leaseRows, maxCounted, type Due } from "../database/due-work.ts";
import {
  createSetText,
  listValues,
  splitIntoSets,
  type Scope,
  type ScopeColumns,
  readScope,
  whereScope,
} from "../database/scope.ts";
import {
  type IdempotencyRecord,
  existsClaimed,
  type LockedRequest,
} from "../idempotency/idempotency-store.ts";
import type { ChargeState, PendingAction } from "./charge-state.ts";
import type { Payment } from "./payment-state.ts";
import { fromPayment } from "./payments-sql.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import type { NewEvent } from "../webhooks/events-sql.ts";

/**
 * A charge whose outcome was not known when its payment was written, or whose refund is special. It is stored as long
 * as the payment. `network` is the name of the network that was asked, the only one that knows the charge.
 */
export type StoredCharge = ChargeState & { network: string; begunAtMs: number };

export type DueCharge = { scope: Scope; payment: Payment; charge: StoredCharge };

/**
 * The next state of a charge. `pendingAction` and `reference` stay as they are where they are left out; `attempts`
 * begins again then, and nothing is due.
 */
export type ChargeUpdate = {
  scope: Scope;
  paymentId: string;
  /** The action that was pending; nothing is written where another one is by now. */
  from: PendingAction;
  charge: Partial<ChargeState>;
  /** The next state of its payment, which closes its page. */
  payment?: { next: Payment; from: PaymentStatus; event: NewEvent } | undefined;
  /** The request that waited for it, whose lock is released. */
  request?: LockedRequest | undefined;
};

/**
 * `due` counts pending payments that wait to be settled; `undecided` counts charges, cancellations and refunds that a
 * network has not decided. Ages are those of the oldest, or 0. Counts are capped at 10,000.
 */
export type Backlog = {
  due: number;
  oldestAgeMs: number;
  undecided: number;
  oldestUndecidedAgeMs: number;
};

/** The number of charges that wait for other networks, capped at 10,000, and the name of one of these networks. */
export type NetworkChargeCounts = { count: number; network: string | undefined };

/** Charges of one network, by its name, of an account or of all. */
export type ChargesDue = Due & { accountId?: string; network: string };

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
const insertText = createSetText(
  (rows) => `INSERT INTO charges (account_id, livemode, payment_id, ${columns}, undecided_since_ms)
   ${rows === 1 ? `SELECT account_id, livemode, id, $4, $5, $6, $7, $8, $9, $10, $11, $12 ${fromPayment}` : listValues(rows, 12, 1)}
   ON CONFLICT (account_id, livemode, payment_id) DO NOTHING`,
);

/**
 * Writes charges of payments of an account and mode, unless they have one. A single one is not written without its
 * payment; of several the transaction has written each.
 */
export function insertCharges(
  scope: Scope,
  charges: { payment: { id: string }; charge: StoredCharge }[],
): Statement<number>[] {
  return splitIntoSets(charges).map((set) => {
    const rows = set.flatMap(({ payment, charge }) => [
      ...whereScope(scope),
      payment.id,
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
    ]);
    return countChanges(insertText(set.length), rows);
  });
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
  const claimed = existsClaimed(record, 6);
  return changeOne(
    `UPDATE charges SET pending_action = 'refund', attempts = 0, due_at_ms = $4, undecided_since_ms = $5
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND ${isRefundable} ${claimed.sql}`,
    [...whereScope(scope), paymentId, dueAtMs, nowMs, ...claimed.params],
  );
}

/** Writes audit entries where `requestRefundSql` is about to request a refund, of the locked charge. */
export function insertRefundActivities(
  scope: Scope,
  paymentId: string,
  activity: readonly Activity[],
  record?: IdempotencyRecord,
): Statement<number>[] {
  const claimed = existsClaimed(record, 13);
  return activity.map((each) =>
    insertActivityWhere(scope, paymentId, each, {
      sql: `FROM charges WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND ${isRefundable} ${claimed.sql}`,
      params: claimed.params,
    }),
  );
}

const isRefundable = `pending_action = 'none'
     AND EXISTS (SELECT 1 FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3 AND status = 'succeeded')`;

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

/** The number and age of the simulator's due charges, including leased ones. */
export function selectDue(nowMs: number): Statement<Pick<Backlog, "due" | "oldestAgeMs">> {
  return createStatement(
    `SELECT COUNT(*) AS due, MIN(undecided_since_ms) AS oldest FROM
     (SELECT undecided_since_ms FROM charges WHERE due_at_ms <= $1 AND network = $2
      AND undecided_since_ms <= $3 ORDER BY due_at_ms LIMIT ${maxCounted}) oldest_due`,
    [Number.MAX_SAFE_INTEGER, simulatorName, nowMs],
    ([row]: { due: number; oldest: number | null }[]) => ({
      due: row?.due ?? 0,
      oldestAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}

/** The charges of networks that move money whose outcome is not known, while no customer is at the bank. */
export function selectUndecided(
  nowMs: number,
): Statement<Pick<Backlog, "undecided" | "oldestUndecidedAgeMs">> {
  return createStatement(
    `SELECT COUNT(*) AS undecided, MIN(undecided_since_ms) AS oldest FROM
     (SELECT undecided_since_ms FROM charges WHERE due_at_ms <= $1 AND network <> $2 AND challenge_url IS NULL
      ORDER BY due_at_ms LIMIT ${maxCounted}) oldest_due`,
    [Number.MAX_SAFE_INTEGER, simulatorName],
    ([row]: { undecided: number; oldest: number | null }[]) => ({
      undecided: row?.undecided ?? 0,
      oldestUndecidedAgeMs: nowMs - (row?.oldest ?? nowMs),
    }),
  );
}

/** The undecided charges of all networks that move money, except one. */
export function selectElsewhereCounts(network: string): Statement<NetworkChargeCounts> {
  return createStatement(
    `SELECT COUNT(*) AS count, MIN(network) AS first FROM
     (SELECT network FROM charges WHERE due_at_ms <= $1 AND network NOT IN ($2, $3)
      ORDER BY due_at_ms LIMIT ${maxCounted}) oldest_due`,
    [Number.MAX_SAFE_INTEGER, network, simulatorName],
    ([row]: { count: number; first: string | null }[]) => ({
      count: row?.count ?? 0,
      network: row?.first ?? undefined,
    }),
  );
}
