import { reportFailure, reportOk, reportWarning } from "../../../contract/doctor.ts";
import { quoteForShell } from "../../../runtime/text.ts";
import {
  commitOne,
  createStatement,
  diagnoseHint,
  queryRows,
  type Driver,
} from "../../database/driver.ts";
import { parsePostgresUrl } from "../../database/postgres-url.ts";
import type { Step } from "./run-steps.ts";

/** Checks of a PostgreSQL that answers: its pooler keeps statements and transactions, and the server accepts writes. */
export function listPostgresSteps(driver: Driver): Step[] {
  return [
    {
      name: "pooler",
      help: "In pgbouncer.ini: pool_mode = transaction, max_prepared_statements = 200",
      run: async () => {
        await driver.check?.();
        // A transaction that changes nothing: a pooler in statement mode refuses its BEGIN.
        await driver.write(() =>
          commitOne(createStatement("SELECT 1 AS one", [], () => undefined)),
        );
        return reportOk("pooler", "Prepared statements and transactions work.");
      },
    },
    {
      name: "writable",
      help: "payments migrate --dry-run",
      run: async () => {
        const sql = "SELECT current_setting('transaction_read_only') AS is_read_only";
        const [row] = await driver.read(() => queryRows<{ is_read_only: string }>(sql, []));
        if (row?.is_read_only === "on") {
          return reportFailure(
            "writable",
            "The server is read-only: a standby, or fenced. The service cannot write.",
            namePrimary,
          );
        }
        const [closed] = await driver.read(() => queryRows<ClosedTable>(findClosedTable, []));
        if (!closed) return reportOk("writable", "The server accepts writes.");
        return reportWarning(
          "writable",
          `This user may not write to the table ${closed.name}, so only commands that read work.`,
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${closed.schema} TO ${closed.user}`,
        );
      },
    },
  ];
}

/** The schema and the user are quoted as SQL wants them. */
type ClosedTable = { name: string; schema: string; user: string };

/** A table of the service that this user may not write to; none before there are tables. */
const findClosedTable = `SELECT relname AS name, quote_ident(current_schema()) AS schema, quote_ident(current_user) AS user
  FROM pg_class
  WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p')
    AND relname IN ('payments', 'charges', 'events', 'idempotency_records')
    AND NOT (has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
      AND has_table_privilege(oid, 'DELETE'))
  ORDER BY relname LIMIT 1`;

const namePrimary =
  "Name the primary in the URL too, with target_session_attrs=read-write; or SELECT pg_promote()";

/** The code is the same for the limit of a role, of a database, and of the server. */
const freeConnections =
  "ALTER ROLE … CONNECTION LIMIT, ALTER DATABASE … CONNECTION LIMIT or max_connections allow more; pool_max_conns=5 in the URL of each service takes fewer";

/** The remedy where a database cannot be reached, by PostgreSQL's code; the message says why. */
export function findPostgresRemedy(error: unknown, database: string): string {
  const { cause, hint } = error as { cause?: { code?: unknown }; hint?: string };
  if (hint !== undefined && hint !== diagnoseHint) return hint;
  const address = parsePostgresUrl(database);
  const [server] = address?.servers ?? [];
  if (!address || !server) return "payments doctor --database DATABASE";
  const code = typeof cause?.code === "string" ? cause.code : "";
  if (code.startsWith("28"))
    return "Correct the user and the password in PAYMENTS_DATABASE, where @ is %40, / is %2F and % is %25";
  if (code === "53300") return freeConnections;
  if (code === "25006") return namePrimary;
  if (code === "3D000") return `createdb ${quoteForShell(address.database)}`;
  return `pg_isready --host ${quoteForShell(server.host)} --port ${server.port || "5432"}`;
}
