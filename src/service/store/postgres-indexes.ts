import { DatabaseError, type PoolClient } from "pg";
import { Unavailable } from "../../runtime/failures.ts";
import { MigrationInProgress, LockTimeout } from "./driver.ts";
import { ConnectionLost, explained } from "./postgres-errors.ts";
import { schemaChange } from "./postgres-options.ts";
import { isPooled } from "./postgres-pooler.ts";

/** What whoever makes an index holds: two who make indexes of a table at once wait for each other. */
const makingIndexes = 0x70_61_79_73;

/** So the server notices within a minute that whoever holds that lock has lost its power, and frees it. */
const noticesLoss = [
  "tcp_keepalives_idle = 20",
  "tcp_keepalives_interval = 10",
  "tcp_keepalives_count = 3",
  "tcp_user_timeout = 30000",
];

/**
 * Makes an index of a table while others write to it, unless it is there; answers whether it was made.
 * The server lets every transaction end that began before, and nobody waits for the index meanwhile. It
 * wants no transaction around that, so what is half done stays, as an index that is not valid: that is
 * removed, and made anew. Error: MigrationInProgress where others are making one, LockTimeout where a transaction
 * goes on for too long; then it may be tried again. Unavailable behind a pooler. The connection gets settings that
 * no other work is to have.
 */
export async function makeIndex(client: PoolClient, sql: string): Promise<boolean> {
  const [, name = "", table = ""] =
    /INDEX CONCURRENTLY IF NOT EXISTS (\w+)\s+ON (\w+)/.exec(sql) ?? [];
  const ask = async (text: string, values?: (string | number)[]) => {
    const question = { text, ...(values && { values }), query_timeout: schemaChange.longestMs };
    return (await client.query<{ yes: boolean }>(question)).rows[0]?.yes;
  };
  const isValid = async () =>
    ask(
      `SELECT indisvalid AS yes FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE indrelid = to_regclass($1) AND relname = $2`,
      [table, name],
    );
  try {
    if (await isValid()) return false;
    if (await isPooled(client)) throw needsServer(name);
    await ask("SET statement_timeout = 0");
    for (const setting of noticesLoss) await ask(`SET ${setting}`);
    // Never waited for: whoever makes an index would wait for the transaction that waits.
    if (!(await ask("SELECT pg_try_advisory_lock($1) AS yes", [makingIndexes]))) {
      throw madeByAnother(name);
    }
    let found = await isValid();
    if (found === false) {
      await ask(`SET lock_timeout = '${schemaChange.lockTimeout}'`);
      // A lock that holds up no writer, and is not to be had while somebody makes the index by hand.
      await ask("BEGIN");
      await ask(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
      found = await isValid();
      if (!found) await ask(`DROP INDEX IF EXISTS ${name}`);
      await ask("COMMIT");
    }
    await ask(`SET lock_timeout = '${schemaChange.indexTimeout}'`);
    if (!found) await ask(sql);
    if (!(await isValid())) {
      throw new LockTimeout(`The database refuses: ${name} is not a valid index of ${table}.`);
    }
    await ask("SELECT pg_advisory_unlock($1)", [makingIndexes]);
    return !found;
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    if (!(error instanceof DatabaseError)) throw explained(new ConnectionLost(error));
    throw isOfAnother(error) ? madeByAnother(name, error) : explained(error);
  }
}

/** A pooler may give the settings below to one connection, to be kept by others, and the index to another. */
function needsServer(name: string): Unavailable {
  return new Unavailable(
    `The database refuses: the index ${name} cannot be made through a pooler. Nothing was changed.`,
    { hint: "Run payments migrate with the address of the server itself.", isPermanent: true },
  );
}

function madeByAnother(name: string, cause?: Error): MigrationInProgress {
  const message = `The database refuses: another program makes indexes, and ${name} is not there yet.`;
  return new MigrationInProgress(message, { cause });
}

/** Two that make the same index at once: a deadlock, or an entry of the catalogue changed by both. */
function isOfAnother({ code, message }: DatabaseError): boolean {
  return code === "40P01" || (code === "XX000" && /concurrently updated/.test(message));
}
