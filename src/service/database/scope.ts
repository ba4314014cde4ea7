/** The columns of the account and mode that a row belongs to. */
export type ScopeColumns = { account_id: string; livemode: number };

/** An account and mode as a statement's parameters. */
export function whereScope({ accountId, livemode }: Scope): [accountId: string, livemode: number] {
  return [accountId, Number(livemode)];
}

export function readScope({ account_id, livemode }: ScopeColumns): Scope {
  return { accountId: account_id, livemode: livemode === 1 };
}

/** How many accounts are searched together for due work. */
export const accountsAtOnce = 100;

/**
 * The condition that an account is one of these; its parameters begin with `$at`. It always has `accountsAtOnce`
 * parameters, so that it is one prepared statement. PostgreSQL estimates a list better than a range.
 */
export function isOneOf(
  column: string,
  accountIds: readonly string[],
  at: number,
): { sql: string; params: string[] } {
  const last = accountIds.at(-1) ?? "";
  const params = Array.from({ length: accountsAtOnce }, (_, i) => accountIds[i] ?? last);
  return { sql: `${column} IN (${params.map((_, i) => `$${at + i}`).join(", ")})`, params };
}

/** The owner of data: an account in one of its two modes. Authentication makes it, and every use case takes it. */
export type Scope = { accountId: string; livemode: boolean };

/**
 * The numbers of rows that a statement may have: few, so that each text is prepared once, and so many that most sets
 * take two statements at most.
 */
const setSizes = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64,
].toReversed();

/** Splits rows into sets of at most `maxSize`, each for one statement. */
export function splitIntoSets<T>(rows: T[], maxSize = 64): T[][] {
  if (rows.length === 1) return [rows]; // the most frequent case
  const sets: T[][] = [];
  for (let at = 0; at < rows.length; at += sets.at(-1)?.length ?? 0) {
    const size = setSizes.find((each) => each <= Math.min(maxSize, rows.length - at));
    sets.push(rows.slice(at, at + (size ?? 1)));
  }
  return sets;
}

/** So many rows of parameters from `$at` on; `types` are needed where no table tells them. */
export function listValues(rows: number, width: number, at: number, types?: string[]): string {
  const list: string[] = [];
  for (let first = at; list.length < rows; first += width) {
    const row = Array.from({ length: width }, (_, column) =>
      types ? `CAST($${first + column} AS ${types[column]})` : `$${first + column}`,
    );
    list.push(`(${row.join(", ")})`);
  }
  return `VALUES ${list.join(", ")}`;
}

/** The text of a statement for so many rows. */
type SetText = (rows: number) => string;

/** Makes the text of a statement once for each number of rows, of which there are few. */
export function createSetText(write: (rows: number) => string): SetText {
  const texts: string[] = [];
  return (rows) => (texts[rows] ??= write(rows));
}

/**
 * The text of a statement that begins with a table of rows, `WITH name (columns) AS (VALUES …)`, whose parameters are
 * from `$at` on. `columns` are the names and their types.
 */
export function createRowsText(
  name: string,
  columns: Record<string, "TEXT" | "BIGINT">,
  at: number,
  statement: string,
): SetText {
  const types = Object.values(columns);
  const head = `WITH ${name} (${Object.keys(columns).join(", ")})`;
  return createSetText(
    (rows) => `${head} AS (${listValues(rows, types.length, at, types)})\n${statement}`,
  );
}

/** The parameters from `$at` on, one for each row, between commas. */
export function listParams(rows: number, at: number): string {
  return Array.from({ length: rows }, (_, row) => `$${at + row}`).join(", ");
}

/** The items of each account and mode, in one order, so that two transactions that lock the same rows do not deadlock. */
export function groupByScope<T extends { scope: Scope }>(items: T[]): { scope: Scope; of: T[] }[] {
  const [first] = items;
  if (first && items.length === 1) return [{ scope: first.scope, of: items }];
  const groups = Map.groupBy(items, ({ scope }) => `${scope.accountId} ${scope.livemode}`);
  const sorted = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.flatMap(([, of]) => (of[0] ? [{ scope: of[0].scope, of }] : []));
}
