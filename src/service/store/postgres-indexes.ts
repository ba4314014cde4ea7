import { Client, DatabaseError } from "pg";
import { Unavailable } from "../../contract/failures.ts";
import { LockedOut } from "./driver.ts";
import { ConnectionLost, explained, unreachable } from "./postgres-errors.ts";
import { poolOptions, schemaChange } from "./postgres-options.ts";
import { isPooled } from "./postgres-pooler.ts";

/**
 * Makes an index of a table while others write to it, unless it is there; answers whether it was made.
 * The server lets every transaction end that began before, and nobody waits for the index meanwhile. It
 * wants no transaction around that, so what is half done stays, as an index that is not valid: that is
 * removed, and made anew. Error: LockedOut where others are making it, or where a transaction goes on
 * for too long; then it may be tried again. Unavailable behind a pooler.
 */
export async function makeIndex(url: string, sql: string): Promise<boolean> {
  const [, name = "", table = ""] =
    /INDEX CONCURRENTLY IF NOT EXISTS (\w+)\s+ON (\w+)/.exec(sql) ?? [];
  const client = await connect(url);
  const isValid = async () => {
    const found = await client.query<{ valid: boolean }>(
      `SELECT indisvalid AS valid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
       WHERE indrelid = to_regclass($1) AND relname = $2`,
      [table, name],
    );
    return found.rows[0]?.valid;
  };
  try {
    const before = await isValid();
    if (before) return false;
    if (await isPooled(client)) throw needsServer(name);
    await client.query("SET statement_timeout = 0");
    await client.query(`SET lock_timeout = '${schemaChange.lockTimeout}'`);
    if (before === false) {
      // Whoever makes an index holds this lock from its beginning until just before its last commit: so
      // what is not valid behind it, a moment later, is nobody's. What has become valid stays.
      await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
      await client.query("SELECT pg_sleep(1)");
      const now = await isValid();
      if (now === false) await client.query(`DROP INDEX ${name}`);
      await client.query("COMMIT");
      if (now) return false;
    }
    await client.query(`SET lock_timeout = '${schemaChange.indexTimeout}'`);
    await client.query(sql);
    if (await isValid()) return true;
    throw madeByAnother(name);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    if (!(error instanceof DatabaseError)) throw explained(new ConnectionLost(error));
    throw isOfAnother(error) ? madeByAnother(name, error) : explained(error);
  } finally {
    await client.end().catch(() => {});
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

/** A connection of its own, since it gets settings that no other is to have. */
async function connect(url: string): Promise<Client> {
  const client = new Client({ ...poolOptions(url), query_timeout: schemaChange.longestMs });
  client.on("error", () => {}); // what it is asked fails then
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw unreachable(error);
  }
}
