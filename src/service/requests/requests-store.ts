import type { ErrorCode } from "../../contract/error.ts";
import { answeredStatuses } from "../../contract/field-values.ts";
import {
  type Driver,
  type Statement,
  type Value,
  commit,
  countChanges,
  createStatement,
  findRow,
  readOne,
  writeOne,
} from "../database/driver.ts";
import { isAmongFirst } from "../database/due-work.ts";
import {
  type Filters,
  type Listed,
  type ListedTable,
  type Range,
  readPage,
} from "../database/listing.ts";
import { parseCreatedMs } from "../database/ids.ts";
import {
  type Scope,
  type ScopeColumns,
  groupByScope,
  readScope,
  splitIntoSets,
  createSetText,
  listValues,
  whereScope,
} from "../database/scope.ts";

export function createRequestStore(driver: Driver) {
  return {
    // Requests of several accounts are one transaction, which no request waits for.
    /**
     * Writes requests. `mayBeWritten`: an earlier call may have written them. Errors: none was written, as far as known.
     */
    logRequests: async (
      requests: readonly StoredRequest[],
      mayBeWritten = false,
    ): Promise<void> => {
      const scopes = groupByScope([...requests]);
      await driver.write((wasLost) =>
        commit(
          ...scopes.flatMap(({ of }) =>
            insertRequests(of, driver.maxRows, mayBeWritten || wasLost),
          ),
        ),
      );
    },
    findRequest: (scope: Scope, id: string): Promise<StoredRequest | undefined> =>
      readOne(driver, selectRequest(scope, id), scope.accountId),
    listRequests: (
      scope: Scope,
      { statuses, method, paymentId, idempotencyKey, ...range }: Range & RequestFilters,
    ): Promise<Listed<StoredRequest>> =>
      driver.read(
        () =>
          readPage(
            requestsTable,
            scope,
            range,
            toColumnFilters({ statuses, method, paymentId, idempotencyKey }),
          ),
        scope.accountId,
      ),
    /**
     * The id of the request that comes `count` after the first one below an id, from newer to older; undefined where
     * there is none.
     */
    skipRequests: (scope: Scope, below: string, count: number): Promise<string | undefined> =>
      readOne(driver, selectSkipped(scope, below, count)),
    /** Deletes up to `limit` requests below an id, the oldest first; returns how many. */
    purgeRequests: (scope: Scope, below: string, limit: number): Promise<number> =>
      writeOne(driver, deleteRequests(scope, below, limit)),
  };
}

/** A request of the API, as it is logged: nothing in it is secret. */
export type StoredRequest = {
  scope: Scope;
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  keyId: string;
  keyName: string;
  errorCode: ErrorCode | null;
  errorParam: string | null;
  paymentId: string | null;
  idempotencyKey: string | null;
  isReplayed: boolean;
};

/** `statuses`: any of these. */
export type RequestFilters = {
  statuses: readonly number[] | undefined;
  method: string | undefined;
  paymentId: string | undefined;
  idempotencyKey: string | undefined;
};

export type RequestStore = ReturnType<typeof createRequestStore>;

type RequestRow = ScopeColumns & {
  id: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  key_id: string;
  key_name: string;
  error_code: StoredRequest["errorCode"];
  error_param: string | null;
  payment_id: string | null;
  idempotency_key: string | null;
  replayed: number;
};
/** How many rows of places idempotency keys have: the migration says why. Stored keys depend on it. */
const keyRows = 16;
/** Longer than any time in milliseconds. */
const keyRowLength = 2 ** 42;
const columns =
  "account_id, livemode, id, method, path, status, duration_ms, key_id, key_name, error_code, error_param, payment_id, idempotency_key, replayed";

const insertColumns = `${columns}, kind, key_place, key_hash`;
const insertText = createSetText(
  (rows) =>
    `INSERT INTO requests (${insertColumns}) ${listValues(rows, insertColumns.split(",").length, 1)}`,
);
const insertUnlessWritten = "ON CONFLICT (account_id, livemode, id) DO NOTHING";

/**
 * Writes requests of one account, up to `maxRows` by each statement. Only a retry looks for what is there already, since
 * that makes a row a third dearer on PostgreSQL.
 */
function insertRequests(
  requests: StoredRequest[],
  maxRows: number,
  mayBeWritten: boolean,
): Statement<number>[] {
  return splitIntoSets(requests, maxRows).map((set) => {
    const text = insertText(set.length);
    return countChanges(
      mayBeWritten ? `${text} ${insertUnlessWritten}` : text,
      set.flatMap(toValues),
    );
  });
}

function toValues(request: StoredRequest): Value[] {
  const { scope, id, idempotencyKey: key } = request;
  const hash = key === null ? null : hashKey(key);
  return [
    scope.accountId,
    Number(scope.livemode),
    id,
    request.method,
    request.path,
    request.status,
    request.durationMs,
    request.keyId,
    request.keyName,
    request.errorCode,
    request.errorParam,
    request.paymentId,
    key,
    Number(request.isReplayed),
    toKind(request.method, request.status),
    hash === null ? null : (hash % keyRows) * keyRowLength + parseCreatedMs(id),
    hash,
  ];
}

function selectRequest(scope: Scope, id: string): Statement<StoredRequest | undefined> {
  return createStatement(
    `SELECT ${columns} FROM requests WHERE account_id = $1 AND livemode = $2 AND id = $3`,
    [...whereScope(scope), id],
    ([row]: RequestRow[]) => row && readRequest(row),
  );
}

export const requestsTable: ListedTable<StoredRequest> = {
  columns,
  readItem: readRequest,
  from: selectRequests,
};

/** A hash of 32 bits (FNV-1a). Stored keys depend on it. */
function hashKey(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Of no request. */
const noKind = 0;

/** What requests are listed by: their status, apart for the few that delete. */
function toKind(method: string, status: number): number {
  return method === "DELETE" ? status + 1_000 : status;
}

/** The kinds of requests with a method and any of these statuses. Reads that succeed are not logged. */
function listKinds(statuses: readonly number[], method: string | undefined): number[] {
  const isWrite = method === undefined || method === "POST" || method === "DELETE";
  const logged = statuses.filter((status) => isWrite || status >= 400);
  const methods = method === undefined ? ["POST", "DELETE"] : [method];
  const kinds = methods.flatMap((each) => logged.map((status) => toKind(each, status)));
  return kinds.length > 0 ? kinds : [noKind];
}

/** The filters as columns of `requestsTable`: each kind has a name of its own. */
function toColumnFilters({
  statuses,
  method,
  paymentId,
  idempotencyKey: key,
}: RequestFilters): Filters {
  const isByKind = statuses !== undefined || method !== undefined;
  const kinds = isByKind ? listKinds(statuses ?? answeredStatuses, method) : [];
  return {
    ...(key !== undefined && { key_hash: String(hashKey(key)) }),
    idempotency_key: key,
    payment_id: paymentId,
    method,
    ...Object.fromEntries(kinds.map((kind, at) => [`kind_${at}`, String(kind)])),
  };
}

/**
 * A page is a range of one index: that of idempotency keys, else of payments, else of each kind. The other filters must
 * not choose another one: `|| ''` and `+ 0` keep their indexes from the planner.
 */
function selectRequests({ direction }: Pick<Range, "direction">, filters: Record<string, string>) {
  const order = direction === "forward" ? "DESC" : "ASC";
  const names = Object.keys(filters);
  const at = (name: string) => `$${6 + names.indexOf(name)}`;
  const kinds = names.filter((name) => name.startsWith("kind_"));
  const isByKey = "key_hash" in filters;
  const [id, payment] = isByKey ? ["id || ''", "payment_id || ''"] : ["id", "payment_id"];
  const conditions = names.flatMap((name) => {
    if (name === "key_hash") return [isInKeyRow(at(name))];
    if (kinds.includes(name)) return [];
    return [`AND ${name === "payment_id" ? payment : name} = ${at(name)}`];
  });
  const range = `FROM requests WHERE account_id = $1 AND livemode = $2 AND ${id} < $3 AND ${id} > $4 ${conditions.join(" ")}`;
  const page = `ORDER BY ${id} ${order} LIMIT $5`;
  if (kinds.length === 0) return `${range} ${page}`;
  if (isByKey || "payment_id" in filters) {
    const list = kinds.map((name) => `CAST(${at(name)} AS BIGINT)`).join(", ");
    return `${range} AND kind + 0 IN (${list}) ${page}`;
  }
  const parts = kinds.map(
    (name) =>
      `SELECT ${columns} FROM (SELECT ${columns} ${range} AND kind = CAST(${at(name)} AS BIGINT) ${page}) of_${name}`,
  );
  return `FROM (${parts.join(" UNION ALL ")}) listed ${page}`;
}

/** The condition that a key has a hash, and its place in the row of it. */
function isInKeyRow(hash: string): string {
  const row = `CAST(${hash} AS BIGINT) % ${keyRows}`;
  return `AND key_place >= (${row}) * ${keyRowLength} AND key_place < (${row} + 1) * ${keyRowLength}
    AND key_hash = CAST(${hash} AS BIGINT)`;
}

/** The id of the request `count` after the first one below an id, from newer to older. */
function selectSkipped(scope: Scope, below: string, count: number): Statement<string | undefined> {
  const found = findRow<{ id: string }>(
    `SELECT id FROM requests WHERE account_id = $1 AND livemode = $2 AND id < $3
     ORDER BY id DESC LIMIT 1 OFFSET ${count}`,
    [...whereScope(scope), below],
  );
  return { ...found, read: (rows) => found.read(rows)?.id };
}

/** Deletes up to `limit` requests below an id, the oldest first; returns how many. */
function deleteRequests(scope: Scope, below: string, limit: number): Statement<number> {
  const isScope = "account_id = $1 AND livemode = $2";
  const where = `${isScope} AND id < $3`;
  return countChanges(
    `DELETE FROM requests WHERE ${isScope} AND ${isAmongFirst("requests", { key: "id", where, orderBy: "id", limit })}`,
    [...whereScope(scope), below],
  );
}

function readRequest(row: RequestRow): StoredRequest {
  return {
    scope: readScope(row),
    id: row.id,
    method: row.method,
    path: row.path,
    status: row.status,
    durationMs: row.duration_ms,
    keyId: row.key_id,
    keyName: row.key_name,
    errorCode: row.error_code,
    errorParam: row.error_param,
    paymentId: row.payment_id,
    idempotencyKey: row.idempotency_key,
    isReplayed: row.replayed === 1,
  };
}
