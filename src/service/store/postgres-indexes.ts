import { DatabaseError, type PoolClient } from "pg";
import { Unavailable } from "../../contract/failures.ts";
import { LockedOut } from "./driver.ts";
import { ConnectionLost, explained } from "./postgres-errors.ts";
import { schemaChange } from "./postgres-options.ts";
import { isPooled } from "./postgres-pooler.ts";

/**
 * Makes an index of a table while others write to it, unless it is there; answers whether it was made.
 * The server lets every transaction end that began before, and nobody waits for the index meanwhile. It
 * wants no transaction around that, so what is half done stays, as an index that is not valid: that is
 * removed, and made anew. Error: LockedOut where others are making it, or where a transaction goes on
 * for too long; then it may be tried again. Unavailable behind a pooler. The connection gets settings that
 * no other work is to have.
 */
export async function makeIndex(client: PoolClient, sql: string): Promise<boolean> {
  const [, name = "", table = ""] =
    /INDEX CONCURRENTLY IF NOT EXISTS (\w+)\s+ON (\w+)/.exec(sql) ?? [];
  const ask = async (text: string, values?: string[]) => {
    const question = { text, ...(values && { values }), query_timeout: schemaChange.longestMs };
    return (await client.query<{ valid: boolean }>(question)).rows;
  };
  const isValid = async () => {
    const [index] = await ask(
      `SELECT indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE indrelid = to_regclass($1) AND relname = $2`,
      [table, name],
    );
    return index?.valid;
  };
  try {
    const before = await isValid();
    if (before) return false;
    if (await isPooled(client)) throw needsServer(name);
    await ask("SET statement_timeout = 0");
    await ask(`SET lock_timeout = '${schemaChange.lockTimeout}'`);
    if (before === false) {
      // Whoever makes an index holds this lock from its beginning until just before its last commit: so
      // what is not valid behind it, a moment later, is nobody's. What has become valid stays.
      await ask(`BEGIN; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
      await ask("SELECT pg_sleep(1)");
      const now = await isValid();
      if (now === false) await ask(`DROP INDEX ${name}`);
      await ask("COMMIT");
      if (now) return false;
    }
    await ask(`SET lock_timeout = '${schemaChange.indexTimeout}'`);
    await ask(sql);
    if (await isValid()) return true;
    throw madeByAnother(name);
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
    { hint: "Run payments migrate with the address of the server itself.", lasts: true },
  );
}

function madeByAnother(name: string, cause?: Error): LockedOut {
  return new LockedOut(`The database refuses: another program makes the index ${name}.`, { cause });
}

/** Two that make the same index at once: a deadlock, or an entry of the catalogue changed by both. */
function isOfAnother({ code, message }: DatabaseError): boolean {
  return code === "40P01" || (code === "XX000" && /concurrently updated/.test(message));
}
