import type { PaymentJson, PaymentStatus } from "../../contract/payment.ts";
import {
  type Statement,
  type Value,
  changeOne,
  countChanges,
  createLookUp,
  createStatement,
  lockRows,
  rowExists,
} from "../database/driver.ts";
import { type Due, leaseRows } from "../database/due-work.ts";
import { toCreatedEventIdSql } from "../database/ids.ts";
import {
  type Scope,
  type ScopeColumns,
  createRowsText,
  createSetText,
  listParams,
  listValues,
  readScope,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";
import {
  type IdempotencyRecord,
  existsClaimed,
  ifClaimed,
} from "../idempotency/idempotency-store.ts";
import type { PaymentRow } from "../search/search-sql.ts";
import type { NewEvent } from "../webhooks/events-sql.ts";
import type { HostedPage } from "./hosted-page-state.ts";
import type { Payment } from "./payment-state.ts";

/** Finds the payment that a statement's first three parameters name. */
export const fromPayment = "FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $3";

/** A payment, and its JSON. */
export type OwnedPayment = { scope: Scope; payment: Payment; json: PaymentJson };

const insertedColumns =
  "account_id, livemode, id, status, amount, currency, created, payment, events, first_status, decline_code";

const insertText = createSetText(
  (rows) => `INSERT INTO payments (${insertedColumns}) ${listValues(rows, 11, 1)}`,
);

const insertClaimedText = `INSERT INTO payments (${insertedColumns})
  SELECT account_id, livemode, $3, $4, $5, $6, $7, $8, CAST($9 AS BIGINT), $10, $11 FROM idempotency_records WHERE `;

/**
 * Writes new payments, each of which is its first event. With `record`, the one payment is written only if that has
 * claimed its key. It is inserted from a row of the account, because a database that shards by account refuses
 * `INSERT … SELECT` without a table.
 */
export function insertPayments(
  payments: OwnedPayment[],
  record?: IdempotencyRecord,
): Statement<number>[] {
  return splitIntoSets(payments).map((set) => {
    const rows = set.flatMap(toInsertedValues);
    if (!record) return countChanges(insertText(set.length), rows);
    const claimed = ifClaimed(record, 12);
    return countChanges(insertClaimedText + claimed.sql, [...rows, ...claimed.params]);
  });
}

function toInsertedValues({ scope, payment, json }: OwnedPayment): Value[] {
  const { id, status, amount, currency, created, decline_code: code } = payment;
  return [...whereScope(scope), id, status, amount, currency, created, json, 1, status, code];
}

const lockText = createSetText(
  (rows) => `SELECT id FROM payments WHERE account_id = $1 AND livemode = $2 AND status = $3
   AND id IN (${listParams(rows, 4)}) ORDER BY id`,
);

/**
 * Locks the payments of an account and mode that are in `from` until the transaction ends, in the order of their ids,
 * so that two transactions that lock the same ones do not deadlock; returns their ids.
 */
export function lockPayments(
  scope: Scope,
  from: PaymentStatus,
  changes: { payment: { id: string } }[],
): Statement<string[]>[] {
  return splitIntoSets(changes.map(({ payment }) => payment.id).toSorted()).map((set) =>
    lockRows(lockText(set.length), [...whereScope(scope), from, ...set], (rows: { id: string }[]) =>
      rows.map(({ id }) => id),
    ),
  );
}

/** A payment's next state; without an event it stays in its state. */
export type PaymentChange = OwnedPayment & {
  event: NewEvent | undefined;
};

const updateText = createRowsText(
  "change",
  { id: "TEXT", status: "TEXT", payment: "TEXT", decline_code: "TEXT", event_id: "TEXT" },
  4,
  `UPDATE payments SET status = change.status, payment = change.payment, decline_code = change.decline_code,
     events = events + CASE WHEN change.event_id IS NULL THEN 0 ELSE 1 END,
     last_event_id = COALESCE(change.event_id, last_event_id, ${toCreatedEventIdSql("payments.id")})
   FROM change WHERE payments.account_id = $1 AND payments.livemode = $2 AND payments.id = change.id AND payments.status = $3`,
);

/**
 * Updates payments of an account and mode that still are in `from`. Their first events were written before, and their
 * next ones follow in the same transaction. With `record`, the one payment is updated only if that has claimed its key.
 */
export function updatePayments(
  scope: Scope,
  from: PaymentStatus,
  changes: PaymentChange[],
  record?: IdempotencyRecord,
): Statement<number>[] {
  return splitIntoSets(changes).map((set) => {
    const rows = set.flatMap(({ payment, json, event }) => [
      payment.id,
      payment.status,
      json,
      payment.decline_code,
      event?.id ?? null,
    ]);
    const claimed = existsClaimed(record, 4 + rows.length);
    return countChanges(updateText(set.length) + claimed.sql, [
      ...whereScope(scope),
      from,
      ...rows,
      ...claimed.params,
    ]);
  });
}

const lookUpPayment = createLookUp("payments", "id", "payment");

export function selectPayment(scope: Scope, id: string): Statement<PaymentJson | undefined> {
  return lookUpPayment([...whereScope(scope), id], (row: PaymentRow | undefined) => row?.payment);
}

/** The page of a new payment; it is open from now on. */
export type NewPage = Pick<HostedPage, "token" | "returnUrl" | "expiresAtMs">;

/** A page, and its payment as it was at the same moment. */
export type FoundPage = { scope: Scope; payment: Payment; page: HostedPage };

/** The payment of a page that has expired. */
export type ExpiredPage = { scope: Scope; payment: Payment };

type PageRow = ScopeColumns & HostedPage & { payment: string };
type ExpiredRow = ScopeColumns & { payment: string };

const pageColumns = `token, return_url AS "returnUrl", expires_at_ms AS "expiresAtMs", open_until_ms AS "openUntilMs",
     claimed_until_ms AS "claimedUntilMs"`;

/** A page, its payment and its charge in one statement, which is one consistent view. */
const selection = `
  SELECT page.account_id, page.livemode, ${pageColumns}, payment,
    challenge_url AS "challengeUrl", challenged_at_ms AS "challengedAtMs", asked_at_ms AS "askedAtMs"
  FROM hosted_pages page JOIN payments paid
  ON paid.account_id = page.account_id AND paid.livemode = page.livemode AND paid.id = page.payment_id
  LEFT JOIN charges charged ON charged.account_id = page.account_id AND charged.livemode = page.livemode
    AND charged.payment_id = page.payment_id`;

const insertPagesText = createSetText(
  (rows) => `INSERT INTO hosted_pages
   (account_id, livemode, payment_id, token, return_url, expires_at_ms, open_until_ms, claimed_until_ms, lease_until_ms)
   ${rows === 1 ? `SELECT account_id, livemode, id, $4, $5, $6, $7, $8, $9 ${fromPayment}` : listValues(rows, 9, 1)}`,
);

/** Writes the pages of payments of an account and mode, as `insertCharges` writes charges. */
export function insertPages(
  scope: Scope,
  pages: { payment: { id: string }; page: NewPage }[],
): Statement<number>[] {
  return splitIntoSets(pages).map((set) => {
    const rows = set.flatMap(({ payment, page }) => [
      ...whereScope(scope),
      payment.id,
      page.token,
      page.returnUrl,
      page.expiresAtMs,
      page.expiresAtMs,
      0,
      0,
    ]);
    return countChanges(insertPagesText(set.length), rows);
  });
}

/** The page with a token, of one account or of any. */
export function selectByToken(token: string, accountId?: string): Statement<FoundPage | undefined> {
  return createStatement(
    `${selection} WHERE token = $1 ${accountId === undefined ? "" : "AND page.account_id = $2"}`,
    accountId === undefined ? [token] : [token, accountId],
    ([row]: PageRow[]) => row && readFoundPage(row),
  );
}

export function selectPageOfPayment(
  scope: Scope,
  paymentId: string,
): Statement<FoundPage | undefined> {
  return createStatement(
    `${selection} WHERE page.account_id = $1 AND page.livemode = $2 AND page.payment_id = $3`,
    [...whereScope(scope), paymentId],
    ([row]: PageRow[]) => row && readFoundPage(row),
  );
}

/** The condition that at $1 no customer's claim and no lease of a page lasts. */
const isFree = "claimed_until_ms <= $1 AND lease_until_ms <= $1";

/** Whether any page has expired: a frequent query, which needs no transaction. */
export function isAnyPageExpired(nowMs: number): Statement<boolean> {
  return rowExists(
    `SELECT payment_id FROM hosted_pages WHERE open_until_ms <= $1 AND ${isFree} ORDER BY open_until_ms LIMIT 1`,
    [nowMs],
  );
}

const expiringPages = {
  table: "hosted_pages",
  due: "open_until_ms",
  lease: "lease_until_ms",
  columns: "payment_id",
};

/**
 * Leases pages that have expired, of all accounts, the oldest first, and returns their payments. A lease is no claim:
 * a leased page is shown as expired.
 */
export function leaseExpiredPages(due: Due): Statement<ExpiredPage[]> {
  return leaseRows(expiringPages, due, undefined, readExpiredPage, {
    sql: `AND ${isFree}`,
    params: [],
  });
}

/** Claims a page for a customer who pays: it is open, no other claim lasts, and its payment was never charged. */
export function claimOpenPage(
  scope: Scope,
  paymentId: string,
  claim: { nowMs: number; untilMs: number },
): Statement<boolean> {
  return changeOne(`UPDATE hosted_pages SET claimed_until_ms = $1 ${isPayable}`, [
    claim.untilMs,
    ...whereScope(scope),
    paymentId,
    claim.nowMs,
  ]);
}

/** Closes a page with the payment of a customer, as `claimOpenPage` claims it. */
export function closePayablePage(
  scope: Scope,
  paymentId: string,
  nowMs: number,
): Statement<boolean> {
  return changeOne(`UPDATE hosted_pages SET open_until_ms = $1 ${isPayable}`, [
    null,
    ...whereScope(scope),
    paymentId,
    nowMs,
  ]);
}

const isPayable = `
  WHERE account_id = $2 AND livemode = $3 AND payment_id = $4 AND open_until_ms > $5 AND claimed_until_ms <= $5
  AND NOT EXISTS (SELECT 1 FROM charges WHERE account_id = $2 AND livemode = $3 AND payment_id = $4)`;

/** Ends the claim of a customer who goes to the bank, and so may cancel. */
export function endClaim(scope: Scope, paymentId: string): Statement<boolean> {
  return changeOne(
    `UPDATE hosted_pages SET claimed_until_ms = 0
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3`,
    [...whereScope(scope), paymentId],
  );
}

/** Whether the claim on a page is this one, identified by its end. */
export function isClaimed(scope: Scope, paymentId: string, untilMs: number): Statement<boolean> {
  return rowExists(
    `SELECT payment_id FROM hosted_pages
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND claimed_until_ms = $4`,
    [...whereScope(scope), paymentId, untilMs],
  );
}

/** Locks a payment's page, where it has one, until the transaction ends. */
export function lockPage(scope: Scope, paymentId: string): Statement<boolean> {
  return changeOne(
    `UPDATE hosted_pages SET open_until_ms = open_until_ms
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3`,
    [...whereScope(scope), paymentId],
  );
}

/** Closes a page that is still open, and with `claimableAtMs` not claimed at that time. */
export function closeOpenPage(
  scope: Scope,
  paymentId: string,
  claimableAtMs: number | undefined,
): Statement<boolean> {
  return setOpenPage("open_until_ms = NULL", scope, paymentId, claimableAtMs);
}

/** Locks a page that `closeOpenPage` would close, until the transaction ends. */
export function lockOpenPage(
  scope: Scope,
  paymentId: string,
  claimableAtMs: number | undefined,
): Statement<boolean> {
  return setOpenPage("open_until_ms = open_until_ms", scope, paymentId, claimableAtMs);
}

function setOpenPage(
  change: string,
  scope: Scope,
  paymentId: string,
  claimableAtMs: number | undefined,
): Statement<boolean> {
  return changeOne(
    `UPDATE hosted_pages SET ${change}
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND open_until_ms IS NOT NULL
     ${claimableAtMs === undefined ? "" : "AND claimed_until_ms <= $4"}`,
    [...whereScope(scope), paymentId, ...(claimableAtMs === undefined ? [] : [claimableAtMs])],
  );
}

function readExpiredPage(row: ExpiredRow): ExpiredPage {
  return { scope: readScope(row), payment: JSON.parse(row.payment) as Payment };
}

function readFoundPage({ account_id, livemode, payment, ...page }: PageRow): FoundPage {
  return {
    scope: readScope({ account_id, livemode }),
    payment: JSON.parse(payment) as Payment,
    page,
  };
}
