import type { PaymentStatus } from "../../contract/payment.ts";
import {
  type Scope,
  type ScopeColumns,
  readScope,
  whereScope,
  createSetText,
  listValues,
  splitIntoSets,
} from "../database/scope.ts";
import {
  changeOne,
  countChanges,
  createStatement,
  lookUp,
  type Statement,
  type Value,
} from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";

export type StoredResponse = { status: number; body: string };

/**
 * The fingerprint and the response of a request with an idempotency key. Until `lockedUntilMs` the card network may
 * still answer, and the response is provisional; 0 where it is final.
 */
export type IdempotencyRecord = {
  key: string;
  fingerprint: string;
  response: StoredResponse;
  lockedUntilMs: number;
  nowMs: number;
  expiresAtMs: number;
};

export type StoredRecord = Pick<IdempotencyRecord, "fingerprint" | "response" | "lockedUntilMs">;

/** A request whose record is locked; `response` where it is known. */
export type LockedRequest = {
  key: string;
  fingerprint: string;
  response?: StoredResponse | undefined;
};

const columns =
  "account_id, livemode, idempotency_key, fingerprint, status, body, expires_at_ms, locked_until_ms";

/** Replaces a record that has expired at the time in a parameter, or that the same request may continue. */
const replaceFree = (nowMs: string) =>
  `ON CONFLICT (account_id, livemode, idempotency_key) DO UPDATE
     SET fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, expires_at_ms = excluded.expires_at_ms, locked_until_ms = excluded.locked_until_ms
     WHERE idempotency_records.expires_at_ms <= ${nowMs} OR (idempotency_records.status = 0
       AND idempotency_records.fingerprint = excluded.fingerprint AND idempotency_records.locked_until_ms <= ${nowMs})`;

const returned = "RETURNING account_id, livemode, idempotency_key";

type RecordRow = {
  fingerprint: string;
  status: number;
  body: string;
  expires_at_ms: number;
  locked_until_ms: number;
};

type Claim = { scope: Scope; idempotency: IdempotencyRecord };

/**
 * Claims keys, each of one request, in their order, so that two transactions that claim the same ones do not
 * deadlock; returns the owners of the claimed ones as `toKeyId` names them. A key is not claimed where an unexpired
 * record has it, unless that is of the same request, without a response and no longer locked.
 */
export function claimKeys(claims: Claim[]): Statement<string[]>[] {
  return splitIntoSets(sortByKey(claims)).map((set) => {
    const rows = set.flatMap((each) => [...whereScope(each.scope), ...toValues(each)]);
    return readClaimed(claimText(set.length), [getOldestMs(set), ...rows]);
  });
}

const claimText = createSetText(
  (rows) =>
    `INSERT INTO idempotency_records (${columns}) ${listValues(rows, 8, 2)} ${replaceFree("$1")} ${returned}`,
);
/** The same of a request that changes a payment, where it has a key, and only while the payment is in `from`. */
export function claimKeyOfPayment({
  scope,
  payment,
  from,
  idempotency,
}: {
  scope: Scope;
  payment: { id: string };
  from: PaymentStatus;
  idempotency: IdempotencyRecord | undefined;
}): Statement<string[]>[] {
  if (!idempotency) return [];
  const claim = readClaimed(
    `INSERT INTO idempotency_records (${columns})
     SELECT account_id, livemode, $3, $4, $5, $6, $7, $8 FROM payments WHERE account_id = $1 AND livemode = $2 AND id = $10 AND status = $11
     ${replaceFree("$9")} ${returned}`,
    [
      ...whereScope(scope),
      ...toValues({ scope, idempotency }),
      idempotency.nowMs,
      payment.id,
      from,
    ],
  );
  return [claim];
}

function readClaimed(sql: string, params: Value[]): Statement<string[]> {
  return createStatement(sql, params, (claimed: (ScopeColumns & { idempotency_key: string })[]) =>
    claimed.map((row) =>
      toKeyId({ scope: readScope(row), idempotency: { key: row.idempotency_key } }),
    ),
  );
}

function sortByKey(claims: Claim[]): Claim[] {
  return claims.toSorted((a, b) => (toKeyId(a) < toKeyId(b) ? -1 : 1));
}

function getOldestMs(claims: Claim[]): number {
  return Math.min(...claims.map(({ idempotency }) => idempotency.nowMs));
}

function toValues({ idempotency }: Claim): Value[] {
  const { key, fingerprint, response, expiresAtMs, lockedUntilMs } = idempotency;
  return [key, fingerprint, response.status, response.body, expiresAtMs, lockedUntilMs];
}

/** An idempotency key with its account and mode. */
export function toKeyId({
  scope,
  idempotency,
}: {
  scope: Scope;
  idempotency: Pick<IdempotencyRecord, "key">;
}): string {
  return `${scope.accountId} ${scope.livemode} ${idempotency.key}`;
}

/**
 * The condition that a record has claimed its key in this transaction: its response holds the ids that were made for
 * it. The first two parameters of the statement are the scope, those from `$at` on the record.
 */
export function ifClaimed(record: IdempotencyRecord, at: number): { sql: string; params: Value[] } {
  return {
    sql: `account_id = $1 AND livemode = $2 AND idempotency_key = $${at} AND fingerprint = $${at + 1} AND body = $${at + 2}`,
    params: [record.key, record.fingerprint, record.response.body],
  };
}

/** The same as a further condition of another table, where the request has a key. */
export function existsClaimed(
  record: IdempotencyRecord | undefined,
  at: number,
): { sql: string; params: Value[] } {
  if (!record) return { sql: "", params: [] };
  const { sql, params } = ifClaimed(record, at);
  return { sql: ` AND EXISTS (SELECT 1 FROM idempotency_records WHERE ${sql})`, params };
}

export function selectIdempotencyRecord(
  scope: Scope,
  key: string,
  nowMs: number,
): Statement<StoredRecord | undefined> {
  return lookUp(
    {
      table: "idempotency_records",
      key: "idempotency_key",
      columns: "fingerprint, status, body, expires_at_ms, locked_until_ms",
    },
    [...whereScope(scope), key],
    (row: RecordRow | undefined) =>
      row && row.expires_at_ms > nowMs
        ? {
            fingerprint: row.fingerprint,
            response: { status: row.status, body: row.body },
            lockedUntilMs: row.locked_until_ms,
          }
        : undefined,
  );
}

/**
 * Releases the lock of a request's record, with the response where that is known. Returns false where it was released
 * before, and the request was answered with its stored response.
 */
export function releaseLock(
  scope: Scope,
  { key, fingerprint, response }: LockedRequest,
): Statement<boolean> {
  return changeOne(
    `UPDATE idempotency_records SET locked_until_ms = 0 ${response ? ", status = $5, body = $6" : ""}
     WHERE account_id = $1 AND livemode = $2 AND idempotency_key = $3 AND fingerprint = $4
     AND (locked_until_ms > 0 OR status = 0)`,
    [...whereScope(scope), key, fingerprint, ...(response ? [response.status, response.body] : [])],
  );
}

/** Deletes up to `limit` expired records; returns how many. The condition is written as in `leaseRows`. */
export function deleteExpiredRecords(nowMs: number, limit: number): Statement<number> {
  const isNext = isAmongFirst("idempotency_records", {
    key: "account_id, livemode, idempotency_key",
    where: "expires_at_ms <= $1",
    orderBy: "expires_at_ms",
    limit,
  });
  return countChanges(
    `DELETE FROM idempotency_records WHERE expires_at_ms + 0 <= $1 AND ${isNext}`,
    [nowMs],
  );
}
