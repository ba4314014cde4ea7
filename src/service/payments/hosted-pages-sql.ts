import type { HostedPage } from "./hosted-page-state.ts";
import type { Payment } from "./payment-state.ts";
import {
  type Scope,
  type ScopeColumns,
  readScope,
  whereScope,
  createSetText,
  listValues,
  splitIntoSets,
} from "../database/scope.ts";
import { type Due, leaseRows } from "../database/due-work.ts";
import {
  changeOne,
  countChanges,
  rowExists,
  createStatement,
  type Statement,
} from "../database/driver.ts";
import { fromPayment } from "./payments-sql.ts";

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

const insertText = createSetText(
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
    return countChanges(insertText(set.length), rows);
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
