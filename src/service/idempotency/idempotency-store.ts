import type { Activity } from "../../contract/administration.ts";
import type { PaymentStatus } from "../../contract/payment.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { insertActivities } from "../accounts/accounts-store.ts";
import {
  type Driver,
  type Statement,
  type Transaction,
  type Value,
  batch,
  changeOne,
  commit,
  countChanges,
  createLookUp,
  createStatement,
  query,
  readOne,
  writeOne,
} from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";
import {
  type Scope,
  type ScopeColumns,
  createSetText,
  listValues,
  readScope,
  splitIntoSets,
  whereScope,
} from "../database/scope.ts";

/** The request has no response yet; a retry continues it. */
export const noResponseYet: StoredResponse = { status: 0, body: "" };

/**
 * If the idempotency key was used before, nothing is written: `replayed` by the same request, `mismatch` by
 * another one, with the response of the first, `in_progress` by the same one, which has no response yet.
 */
export type WriteOutcome =
  | { outcome: "written" }
  | { outcome: "replayed"; response: StoredResponse }
  | { outcome: "in_progress" }
  | { outcome: "mismatch"; response: StoredResponse };

/** `conflict`: what was to be changed is no longer as it was expected, and nothing was written. */
export type ChangeOutcome = WriteOutcome | { outcome: "conflict" };

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

export function createIdempotencyStore(driver: Driver) {
  return {
    findStoredResponse: async (
      scope: Scope,
      key: string,
      nowMs: number,
    ): Promise<StoredRecord | undefined> =>
      readOne(driver, selectIdempotencyRecord(scope, key, nowMs), scope.accountId),
    /** Releases the lock of a request's record, with its response where that is known. */
    releaseLock: async (scope: Scope, request: LockedRequest): Promise<void> => {
      await writeOne(driver, releaseLock(scope, request), scope.accountId);
    },
    storeResponse: async (
      scope: Scope,
      idempotency: IdempotencyRecord | undefined,
      activity: readonly Activity[] = [],
    ): Promise<WriteOutcome> =>
      driver.write(function* (mayBeWritten) {
        const written = yield* withIdempotency(scope, idempotency, [], mayBeWritten);
        const isWritten = written.outcome === "written";
        if (isWritten && activity.length > 0) yield* commit(...insertActivities(activity));
        return written;
      }, scope.accountId),
    /** Purges up to `limit` expired idempotency records; returns how many. */
    purgeIdempotencyRecords: async (nowMs: number, limit: number): Promise<number> =>
      writeOne(driver, deleteExpiredRecords(nowMs, limit)),
  };
}

/** Another request has changed the rows that a write depends on; nothing is written. */
export class Conflict extends Error {}

/** Runs statements, with the idempotency key of their request; throws `Conflict` where one of them changes nothing. */
export function* withIdempotency(
  scope: Scope,
  idempotency: IdempotencyRecord | undefined,
  statements: Statement<boolean | number>[],
  mayBeWritten: boolean,
): Transaction<WriteOutcome> {
  if (idempotency && !(yield* claimKey(scope, idempotency))) {
    const record = yield* query(selectIdempotencyRecord(scope, idempotency.key, idempotency.nowMs));
    return toRecordOutcome(record, idempotency, mayBeWritten);
  }
  for (const statement of statements) if (!(yield* query(statement))) throw new Conflict();
  return { outcome: "written" };
}

/** Claims the key of a request, as `claimKeys` does. */
export function* claimKey(scope: Scope, idempotency: IdempotencyRecord): Transaction<boolean> {
  const claimed = yield* batch<string[][]>(...claimKeys([{ scope, idempotency }]));
  return claimed.flat().length > 0;
}

/** The outcome of a request whose idempotency key has a record already. */
export function toRecordOutcome(
  record: StoredRecord | undefined,
  { fingerprint, response }: IdempotencyRecord,
  mayBeWritten: boolean,
): WriteOutcome {
  if (!record)
    throw new Unavailable("The idempotency key expired just now; the request was not done.");
  if (record.fingerprint !== fingerprint) return { outcome: "mismatch", response: record.response };
  if (mayBeWritten && record.response.body === response.body) return { outcome: "written" };
  return record.lockedUntilMs > 0 || record.response.status === 0
    ? { outcome: "in_progress" }
    : { outcome: "replayed", response: record.response };
}

export type StoredResponse = { status: number; body: string };

/** The id of the payment in a response, which begins with it. */
export function readPaymentId({ body }: StoredResponse): string | undefined {
  return /^\{"id":"(pay_[a-zA-Z0-9-]+)"/.exec(body)?.[1];
}

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

/** By the key and not by `toKeyId`, which would be built for each comparison. */
function sortByKey(claims: Claim[]): Claim[] {
  return claims.toSorted(
    (a, b) =>
      compareTexts(a.idempotency.key, b.idempotency.key) ||
      compareTexts(a.scope.accountId, b.scope.accountId) ||
      Number(a.scope.livemode) - Number(b.scope.livemode),
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
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

const lookUpRecord = createLookUp(
  "idempotency_records",
  "idempotency_key",
  "fingerprint, status, body, expires_at_ms, locked_until_ms",
);

export function selectIdempotencyRecord(
  scope: Scope,
  key: string,
  nowMs: number,
): Statement<StoredRecord | undefined> {
  return lookUpRecord([...whereScope(scope), key], (row: RecordRow | undefined) =>
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
function deleteExpiredRecords(nowMs: number, limit: number): Statement<number> {
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
