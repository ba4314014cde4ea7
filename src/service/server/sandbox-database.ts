import { ConfigError } from "../../runtime/failures.ts";
import { type StoredAccount, insertAccount, keyTables } from "../accounts/accounts-store.ts";
import type { StoredDelivery } from "../webhooks/deliveries-sql.ts";
import { type Scope, whereScope } from "../database/scope.ts";
import { describeDatabase, openDriver, openReader } from "../database/database.ts";
import {
  changeOne,
  createStatement,
  define,
  query,
  queryRows,
  readOne,
  writeOne,
  type Driver,
  type Transaction,
} from "../database/driver.ts";
import { type Reader, migrate, readMigrations, readSchema } from "../database/migrate.ts";

/** The name of each key that a sandbox makes. */
export const sandboxKeyName = "sandbox";

/**
 * Opens a database for a sandbox, which erases it: a new one, or one that a sandbox made and nobody else has used.
 * ConfigError for any other.
 */
export async function openSandboxDatabase(database: string): Promise<Driver> {
  const reader = await openReader(database);
  try {
    if (!(await isFree(reader))) {
      throw new ConfigError(
        `The database ${describeDatabase(database)} is a service's own: a sandbox would erase it. Nothing was changed.`,
        "Name a database that does not exist yet, or leave --database out: the sandbox is then in memory.",
      );
    }
  } finally {
    await reader.close();
  }
  return await openDriver(database);
}

async function isFree(reader: Reader): Promise<boolean> {
  const { databaseVersion } = await readSchema(reader);
  if (databaseVersion === 0) return true;
  try {
    return await reader.read(function* () {
      const [mark] = yield* queryRows<Mark>("SELECT row_counts FROM sandbox_mark", []);
      if (mark) {
        // An older program knew fewer tables.
        const counted = JSON.parse(mark.row_counts) as [table: string, count: number][];
        const tables = listTables().filter((known) => counted.some(([table]) => table === known));
        return mark.row_counts === (yield* countRows(tables));
      }
      // The sandbox was killed: only a key of another name says that somebody else has used its database.
      for (const table of databaseVersion < 9 ? keyTables.slice(0, 1) : keyTables) {
        const sql = `SELECT id FROM ${table} WHERE name <> $1 LIMIT 1`;
        if ((yield* queryRows(sql, [sandboxKeyName])).length > 0) return false;
      }
      return true;
    });
  } catch {
    return false; // it has no mark
  }
}

/** `row_counts`: what `countRows` returned when the sandbox ended. */
type Mark = { row_counts: string };

/** The number of rows in each table, in JSON. */
function* countRows(tables: readonly string[]): Transaction<string> {
  const counts = tables.map((table) => `(SELECT COUNT(*) FROM ${table}) AS ${table}`);
  const [row] = yield* queryRows<Record<string, number>>(`SELECT ${counts.join(", ")}`, []);
  return JSON.stringify(tables.map((table) => [table, row?.[table]]));
}

/** The tables of the service. */
function listTables(): string[] {
  return readMigrations().flatMap(({ text }) =>
    [...text.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table = ""]) => table),
  );
}

/** Marks the database as a sandbox leaves it, so that the next one sees whether somebody else has used it meanwhile. */
export async function leaveDatabase(driver: Driver): Promise<void> {
  await driver.write(function* () {
    yield* queryRows("INSERT INTO sandbox_mark (row_counts) VALUES ($1)", [
      yield* countRows(listTables()),
    ]);
  });
}

/** Erases the database: it has the account `first` alone, and the mark of a sandbox that runs, which is empty. */
export async function eraseDatabase(driver: Driver, first: StoredAccount): Promise<void> {
  await migrate(driver, insertAccount(first));
  await driver.write(function* () {
    yield* define("CREATE TABLE IF NOT EXISTS sandbox_mark (row_counts TEXT NOT NULL)");
    for (const table of [...listTables(), "sandbox_mark"]) yield* define(`DELETE FROM ${table}`);
    yield* query(insertAccount(first));
  });
}

/**
 * The next time after `nowMs` at which work comes due, in Unix milliseconds: a charge, a page that expires or whose
 * claim ends, a delivery to an endpoint with an address. Undefined where nothing will.
 */
export async function findNextDue(driver: Driver, nowMs: number): Promise<number | undefined> {
  const nextDue = createStatement(
    `SELECT MIN(due) AS due FROM (
     SELECT MIN(due_at_ms) AS due FROM charges WHERE due_at_ms > $1
     UNION ALL SELECT MIN(open_until_ms) FROM hosted_pages WHERE open_until_ms > $1
     UNION ALL SELECT MIN(claimed_until_ms) FROM hosted_pages WHERE open_until_ms <= $1 AND claimed_until_ms > $1
     UNION ALL SELECT MIN((SELECT MIN(due_at_ms) FROM deliveries waiting WHERE waiting.account_id = hook.account_id
      AND waiting.livemode = hook.livemode AND waiting.endpoint_id = hook.id AND waiting.due_at_ms > $1))
     FROM webhook_endpoints hook WHERE hook.status = 'enabled' AND hook.url IS NOT NULL) times`,
    [nowMs],
    ([row]: { due: number | null }[]) => row?.due ?? undefined,
  );
  return await readOne(driver, nextDue);
}

/** Makes a delivery due at another time, unless an attempt has ended meanwhile. */
export async function postponeDelivery(
  driver: Driver,
  scope: Scope,
  { id, attempts }: Pick<StoredDelivery, "id" | "attempts">,
  untilMs: number,
): Promise<void> {
  const postpone = changeOne(
    `UPDATE deliveries SET due_at_ms = $5
     WHERE account_id = $1 AND livemode = $2 AND id = $3 AND attempts = $4 AND status = 'pending'`,
    [...whereScope(scope), id, attempts, untilMs],
  );
  await writeOne(driver, postpone, scope.accountId);
}
