import { DatabaseError } from "pg";
import { Unavailable } from "../../runtime/failures.ts";
import { LockTimeout, ShardUnavailable } from "./driver.ts";

/** The connection ended while it was used: a transaction may have been committed, or not. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";

  constructor(cause: unknown) {
    super("The connection to the database was lost.", { cause });
  }
}

/** Another transaction or the connection was at fault: a retry may succeed. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof ConnectionLost || code === "40001" || code === "40P01";
}

/** The database itself does not know whether it has committed; CockroachDB says so. */
export function isUnknownOutcome(error: unknown): boolean {
  return codeOf(error) === "40003";
}

/** A machine behind the database, which holds a part of it, cannot be reached. */
export function isUnreachable(error: unknown): boolean {
  return codeOf(error)?.startsWith("08") ?? false;
}

/** A unique key is taken already. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** The connection leads to a server that was the primary and no longer is. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === "25006";
}

/** A prepared statement is not where it was left, or there already: something between mixes them up. */
function isWrongStatement(error: unknown): boolean {
  const code = codeOf(error);
  return code === "26000" || code === "42P05";
}

/** PostgreSQL's error codes and classes of codes that are not a fault of this program. */
const reasons: Record<string, string> = {
  "25006": "it is read-only; connect to the primary",
  "28": "the user or password is refused",
  "3D": "there is no such database; create it first",
  "40001": "other transactions were in the way again and again; nothing was written",
  "40P01": "other transactions were in the way again and again; nothing was written",
  "42501": "this user lacks a permission that is needed",
  "53": "it lacks a resource, such as connections, memory or disk space; nothing was written",
  "57014": "it took too long; nothing was written",
  "57": "it is shutting down or starting",
  "58": "its own system reports an error, such as of the disk",
};

/** Turns an error of PostgreSQL into what it means to a use case; any other stays as it is. */
export function toUnavailable(error: unknown): unknown {
  if (codeOf(error) === "55P03") {
    const message = "Database lock timeout: another transaction holds a lock this request needs.";
    return new LockTimeout(message, { cause: error });
  }
  if (isWrongStatement(error)) {
    return new Unavailable(
      "The database refuses: it is behind a pooler that does not keep prepared statements; nothing was written.",
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
      "The database refuses: it cannot reach a machine that holds what is asked for; nothing was written.";
    return new ShardUnavailable(message, { cause: error });
  }
  const reason = findReason(error);
  return reason ? new Unavailable(`The database refuses: ${reason}.`, { cause: error }) : error;
}

/** How PgBouncer refuses the settings that every connection begins with. */
const refusedSetting =
  /^unsupported startup parameter: (?:statement_timeout|idle_in_transaction_session_timeout)$/;

/** How pg says that a server asks for a password where none is known. */
const noPassword = /client password must be a (?:non-empty )?string$/;

/** There is no connection to any of its servers, and why. */
export function unreachableError(errors: unknown[]): Unavailable {
  const all = errors.map((error) => {
    const reason = error instanceof Error ? error.message : String(error);
    return noPassword.test(reason) ? "it asks for a password" : (findReason(error) ?? reason);
  });
  const message = `The database cannot be reached: ${[...new Set(all)].join("; ")}.`;
  const hint = all.some((reason) => refusedSetting.test(reason))
    ? "Write in pgbouncer.ini: ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout"
    : undefined;
  return new Unavailable(message, { cause: errors[0], hint });
}

function findReason(error: unknown): string | undefined {
  const code = codeOf(error) ?? "";
  return reasons[code] ?? reasons[code.slice(0, 2)];
}

function codeOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}
