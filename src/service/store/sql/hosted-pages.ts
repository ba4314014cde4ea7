import type { Payment } from "../../domain/payment.ts";
import type { Scope } from "../../use-cases/kept-answers.ts";
import type { Due, FoundPage, NewPage } from "../../use-cases/payment-store.ts";
import { change, statement, type Statement } from "../driver.ts";
import { fromPayment } from "./payments.ts";

type PageRow = {
  account_id: string;
  livemode: number;
  token: string;
  return_url: string | null;
  expires_at_ms: number;
  open_until_ms: number | null;
  claimed_until_ms: number;
  payment: string;
};

/** A page and its payment in one statement, so that both are of one moment. */
const selection = `
  SELECT page.account_id, page.livemode, token, return_url, expires_at_ms, open_until_ms, claimed_until_ms, payment
  FROM hosted_pages page JOIN payments paid
  ON paid.account_id = page.account_id AND paid.livemode = page.livemode AND paid.id = page.payment_id`;

/** Makes the page of a payment that was written before, in the same transaction. */
export function insertPage(scope: Scope, paymentId: string, page: NewPage): Statement<boolean> {
  return change(
    `INSERT INTO hosted_pages (account_id, livemode, payment_id, token, return_url, expires_at_ms, open_until_ms, claimed_until_ms)
     SELECT account_id, livemode, id, $4, $5, $6, $6, 0 ${fromPayment}`,
    [
      scope.accountId,
      Number(scope.livemode),
      paymentId,
      page.token,
      page.returnUrl,
      page.expiresAtMs,
    ],
  );
}

/** The page with a token, of one account or of any. */
export function selectByToken(token: string, accountId?: string): Statement<FoundPage | undefined> {
  return statement(
    `${selection} WHERE token = $1 ${accountId === undefined ? "" : "AND page.account_id = $2"}`,
    accountId === undefined ? [token] : [token, accountId],
    ([row]: PageRow[]) => row && foundIn(row),
  );
}

/** The condition that nobody pays a page at $1, and that nobody else is ending it. */
const isFree = "claimed_until_ms <= $1 AND expiry_leased_until_ms <= $1";
const isToExpire = `open_until_ms <= $1 AND ${isFree}`;

/** Whether any page's life is over: what is asked most often, and needs no transaction. */
export function isAnyExpired(nowMs: number): Statement<boolean> {
  return statement(
    `SELECT payment_id FROM hosted_pages WHERE ${isToExpire} ORDER BY open_until_ms LIMIT 1`,
    [nowMs],
    (rows) => rows.length > 0,
  );
}

/**
 * Leases pages whose life is over, of one account or of all, the oldest first, and answers what they are.
 * The lease is no claim: a page that is leased shows what an expired one does. They are found and looked
 * up as in `takeDue`.
 */
export function takeExpired(due: Due, accountId?: string): Statement<FoundPage[]> {
  const owner = accountId === undefined ? "hosted_pages.account_id" : "$3";
  const isOwners = accountId === undefined ? "" : "AND account_id = $3";
  return statement(
    `UPDATE hosted_pages SET expiry_leased_until_ms = $2
     WHERE open_until_ms + 0 <= $1 AND ${isFree} ${isOwners} AND (account_id, livemode, payment_id) IN
     (SELECT account_id, livemode, payment_id FROM hosted_pages
      WHERE ${isToExpire} ${isOwners} ORDER BY open_until_ms LIMIT ${due.limit})
     RETURNING account_id, livemode, token, return_url, expires_at_ms, open_until_ms, claimed_until_ms,
     (SELECT payment FROM payments paid WHERE paid.account_id = ${owner}
      AND paid.livemode = hosted_pages.livemode AND paid.id = hosted_pages.payment_id) AS payment`,
    [due.nowMs, due.untilMs, ...(accountId === undefined ? [] : [accountId])],
    (rows: PageRow[]) => rows.map(foundIn),
  );
}

/** Claims a page for whoever pays it: one that is open, nobody else's, and whose payment was never charged. */
export function claimOpenPage(
  scope: Scope,
  paymentId: string,
  claim: { nowMs: number; untilMs: number },
): Statement<boolean> {
  return change(
    `UPDATE hosted_pages SET claimed_until_ms = $1
     WHERE account_id = $2 AND livemode = $3 AND payment_id = $4 AND open_until_ms > $5 AND claimed_until_ms <= $5
     AND NOT EXISTS (SELECT 1 FROM charges WHERE account_id = $2 AND livemode = $3 AND payment_id = $4)`,
    [claim.untilMs, scope.accountId, Number(scope.livemode), paymentId, claim.nowMs],
  );
}

/** Whether the claim on a page is this one, known by its end. */
export function isClaimed(scope: Scope, paymentId: string, untilMs: number): Statement<boolean> {
  return statement(
    `SELECT payment_id FROM hosted_pages
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND claimed_until_ms = $4`,
    [scope.accountId, Number(scope.livemode), paymentId, untilMs],
    (rows) => rows.length > 0,
  );
}

/** Keeps a payment's page, where it has one, as it is until the transaction is over. */
export function lockPage(scope: Scope, paymentId: string): Statement<boolean> {
  return change(
    `UPDATE hosted_pages SET open_until_ms = open_until_ms
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3`,
    [scope.accountId, Number(scope.livemode), paymentId],
  );
}

/** Closes a page that is still open, and where `unclaimedAtMs` is given not claimed at that time. */
export function closeOpenPage(
  scope: Scope,
  paymentId: string,
  unclaimedAtMs: number | undefined,
): Statement<boolean> {
  return change(
    `UPDATE hosted_pages SET open_until_ms = NULL
     WHERE account_id = $1 AND livemode = $2 AND payment_id = $3 AND open_until_ms IS NOT NULL
     ${unclaimedAtMs === undefined ? "" : "AND claimed_until_ms <= $4"}`,
    [
      scope.accountId,
      Number(scope.livemode),
      paymentId,
      ...(unclaimedAtMs === undefined ? [] : [unclaimedAtMs]),
    ],
  );
}

function foundIn(row: PageRow): FoundPage {
  return {
    scope: { accountId: row.account_id, livemode: row.livemode === 1 },
    payment: JSON.parse(row.payment) as Payment,
    page: {
      token: row.token,
      returnUrl: row.return_url,
      expiresAtMs: row.expires_at_ms,
      openUntilMs: row.open_until_ms,
      claimedUntilMs: row.claimed_until_ms,
    },
  };
}
