import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseError } from "pg";
import { Unavailable } from "../../runtime/failures.ts";
import { computeBackoff } from "../../runtime/time.ts";
import { LockTimeout, ShardUnavailable, diagnoseHint } from "./driver.ts";

/** The connection was lost during use: a transaction may have been committed, or not. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";

  constructor(cause: unknown) {
    super("The connection to the database was lost.", { cause });
  }
}

/** Another transaction conflicted with this one: nothing was written. */
function isConflict(error: unknown): boolean {
  const code = getCode(error);
  return code === "40001" || code === "40P01";
}

/** CockroachDB's code for a commit with an unknown result. */
export function isUnknownOutcome(error: unknown): boolean {
  return getCode(error) === "40003";
}

/** A shard of the database cannot be reached. */
export function isUnreachable(error: unknown): boolean {
  return getCode(error)?.startsWith("08") ?? false;
}

/** Whether a transaction that waited for a lock of another one, or worked too long, was canceled. */
export function isTimeout(error: unknown): boolean {
  const code = getCode(error);
  return code === "57014" || code === "55P03";
}

/**
 * Whether other writes of the same transaction may succeed without the one that caused the error: not where the
 * database as a whole refuses.
 */
export function mayConcernOne(error: unknown): boolean {
  if (error instanceof ConnectionLost) return false;
  return (
    isConflict(error) ||
    isTimeout(error) ||
    isUnreachable(error) ||
    !(toUnavailable(error) instanceof Unavailable)
  );
}

function isDuplicate(error: unknown): boolean {
  return getCode(error) === "23505";
}

/** The connection leads to a server that was the primary and no longer is. */
export function isReadOnly(error: unknown): boolean {
  return getCode(error) === "25006";
}

/** A prepared statement is missing, or exists already: a pooler has mixed up its connections. */
function isWrongStatement(error: unknown): boolean {
  const code = getCode(error);
  return code === "26000" || code === "42P05";
}

/** PostgreSQL's error codes and classes of codes for faults outside this program. */
const reasons: Record<string, string> = {
  "25006": "it is read-only; connect to the primary",
  "28": "the user or password is refused",
  "3D": "there is no such database; create it first",
  "40001": "other transactions conflicted with it repeatedly; nothing was written",
  "40P01": "other transactions conflicted with it repeatedly; nothing was written",
  "42501": "this user lacks a permission that is needed",
  "53": "it lacks a resource; nothing was written",
  "53100": "its disk is full; nothing was written",
  "53200": "it is out of memory; nothing was written",
  "53300":
    "too many connections are open: the limit of this user, of the database or of the server is reached; nothing was written",
  "57014": "it took too long; nothing was written",
  "57": "it is shutting down or starting",
  "58": "its own system reports an error, such as of the disk",
};

/** Turns an error of PostgreSQL into `Unavailable`; any other error stays as it is. */
export function toUnavailable(error: unknown): unknown {
  if (getCode(error) === "55P03") {
    const message = "Database lock timeout: another transaction holds a lock this request needs.";
    return new LockTimeout(message, { cause: error });
  }
  if (isWrongStatement(error)) {
    return new Unavailable(
      "The database refuses: it is behind a pooler that does not support prepared statements; nothing was written.",
      {
        cause: error,
        hint: "Use PgBouncer 1.21 or later with max_prepared_statements above 0, or its session mode.",
      },
    );
  }
  if (error instanceof ConnectionLost) {
    return new Unavailable(
      "The connection to the database was lost before it answered. Ask again; for a write with the same idempotency key.",
      { cause: error },
    );
  }
  if (isUnreachable(error)) {
    const message =
      "The database refuses: it cannot reach a machine with the requested data; nothing was written.";
    return new ShardUnavailable(message, { cause: error });
  }
  const reason = findReason(error);
  return reason ? new Unavailable(`The database refuses: ${reason}.`, { cause: error }) : error;
}

/** PgBouncer's message where it refuses the settings of a new connection. */
const refusedSetting =
  /^unsupported startup parameter: (?:statement_timeout|idle_in_transaction_session_timeout)$/;

/** pg's message where a server requires a password and none is set. */
const noPassword = /client password must be a (?:non-empty )?string$/;

/** No server can be reached; the message lists the reasons. */
export function unreachableError(errors: unknown[]): Unavailable {
  const all = errors.map((error) => {
    const reason = Error.isError(error) ? error.message : String(error);
    return noPassword.test(reason) ? "it asks for a password" : (findReason(error) ?? reason);
  });
  const message = `The database cannot be reached: ${[...new Set(all)].join("; ")}.`;
  const hint = all.some((reason) => refusedSetting.test(reason))
    ? "Write in pgbouncer.ini: ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout"
    : diagnoseHint;
  return new Unavailable(message, { cause: errors[0], hint });
}

function findReason(error: unknown): string | undefined {
  const code = getCode(error) ?? "";
  return reasons[code] ?? reasons[code.slice(0, 2)];
}

function getCode(error: unknown): string | undefined {
  return isServerError(error) ? error.code : undefined;
}

/** Whether the server sent the error. Those of Node and of pg itself have no severity, but may have a code. */
export function isServerError(error: unknown): error is DatabaseError {
  return Error.isError(error) && "severity" in error;
}

export const maxRetries = 8;
const backoff = { minMs: 5, maxMs: 500, jitter: 1 };
/** No attempt begins after this time. */
const retryTimeoutMs = 5_000;

/** Attempts of one transaction; `mayBeWritten`: an earlier one may have been committed. */
export type Attempts = { mayBeWritten: boolean; deadlineMs: number };

export function startAttempts(): Attempts {
  return { mayBeWritten: false, deadlineMs: performance.now() + retryTimeoutMs };
}

export function hasTimeLeft({ deadlineMs }: Attempts): boolean {
  return performance.now() <= deadlineMs;
}

/** Retries transient errors; the last one is thrown as the caller sees it. */
export async function retry<T>(attempt: (mayBeWritten: boolean) => Promise<T>): Promise<T> {
  const attempts = startAttempts();
  try {
    return await retryTransient(attempts, maxRetries, attempt);
  } catch (error) {
    throw toFinalError(error, attempts);
  }
}

/**
 * Retries transient errors, conflicts with other transactions `maxConflicts` times; the last one is thrown as it is.
 */
export async function retryTransient<T>(
  attempts: Attempts,
  maxConflicts: number,
  attempt: (mayBeWritten: boolean) => Promise<T>,
): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(attempts.mayBeWritten);
    } catch (error) {
      attempts.mayBeWritten ||= error instanceof ConnectionLost;
      const isTemporary =
        isConflict(error) ||
        error instanceof ConnectionLost ||
        (attempts.mayBeWritten && (isDuplicate(error) || error instanceof Unavailable));
      const limit = isConflict(error) ? maxConflicts : maxRetries;
      if (!isTemporary || retries >= limit || !hasTimeLeft(attempts)) throw error;
      await delay(computeBackoff(retries, backoff));
    }
  }
}

export function toFinalError(error: unknown, { mayBeWritten }: Attempts): unknown {
  return toUnavailable(mayBeWritten ? new ConnectionLost(error) : error);
}
