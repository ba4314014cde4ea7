import {
  parse,
  type InsertStmt,
  type Node,
  type RangeVar,
  type SelectStmt,
  type WithClause,
} from "libpg-query";

/** Tables that every shard has whole: they may be read without an account. */
const replicatedTables = new Set([
  "accounts",
  "api_keys",
  "operators",
  "operator_accounts",
  "invitations",
  "operator_sessions",
  "schema_migrations",
]);

/** The columns of look-ups across all accounts. */
const lookUps: Record<string, string[]> = {
  charges: ["due_at_ms"],
  deliveries: ["due_at_ms"],
  hosted_pages: ["token", "open_until_ms"],
  idempotency_records: ["expires_at_ms"],
  search_progress: ["account_id"],
};

/** Functions that depend on their arguments alone. */
const functions = new Set(["count", "max", "min", "octet_length", "substr", "sum"]);

type Table = { name: string; alias: string; isChanged: boolean; isLookedUp: boolean };
/** The tables of a query, and around it those of the outer queries. */
type Level = { tables: Table[]; outer: Level | undefined };
/** The owner of an account: a table's row, or the parameter of this number. */
type Owner = Table | number;

/**
 * Finds the faults of a statement for a database that is sharded by account. A statement must name the account of
 * each row that it reads or writes, the same for all of them, and must not have a form that such a database refuses.
 */
export async function findStatementFaults(sql: string): Promise<string[]> {
  const faults: string[] = [];
  const tables: Table[] = [];
  const levels = new Map<SelectStmt, Level>();
  const sameAs = new Map<Owner, Owner>();
  const lockedTables: Table[] = [];
  /** The names that a statement gives to lists of values. */
  const valueLists = new Set<string>();

  function accountOf(owner: Owner): Owner {
    const other = sameAs.get(owner);
    return other === undefined ? owner : accountOf(other);
  }

  function equate(one: Owner | undefined, other: Owner | undefined): void {
    if (one === undefined || other === undefined) return;
    const [a, b] = [accountOf(one), accountOf(other)];
    if (a !== b) sameAs.set(typeof a === "number" ? b : a, typeof a === "number" ? a : b);
  }

  function addTable({ relname: name = "", alias }: RangeVar = {}, isChanged = false): Table {
    const table = { name, alias: alias?.aliasname ?? name, isChanged, isLookedUp: false };
    tables.push(table);
    return table;
  }

  /** Visits a query, its conditions and its inner queries. */
  function visitQuery(query: SelectStmt, outer?: Level): Level {
    const before = levels.get(query);
    if (before) return before;
    const level: Level = { tables: [], outer };
    levels.set(query, level);
    for (const each of query.fromClause ?? []) visitSource(each, level);
    readCondition(query.whereClause, level);
    if (query.lockingClause) lockedTables.push(...level.tables);
    visitPart(query, level);
    return level;
  }

  function visitSource(node: Node | undefined, level: Level): void {
    if (!node) return;
    if ("RangeVar" in node && !valueLists.has(node.RangeVar.relname ?? ""))
      level.tables.push(addTable(node.RangeVar));
    if (!("JoinExpr" in node)) return;
    visitSource(node.JoinExpr.larg, level);
    visitSource(node.JoinExpr.rarg, level);
    readCondition(node.JoinExpr.quals, level);
  }

  /** Reads from a required condition which rows have the same account. */
  function readCondition(condition: Node | undefined, level: Level): void {
    if (!condition) return;
    if ("BoolExpr" in condition && condition.BoolExpr.boolop === "AND_EXPR") {
      for (const each of condition.BoolExpr.args ?? []) readCondition(each, level);
    } else if ("A_Expr" in condition) {
      const { name, lexpr, rexpr } = condition.A_Expr;
      if (readTexts(name)[0] === "=") equate(findOwner(lexpr, level), findOwner(rexpr, level));
      const isByValue =
        rexpr !== undefined && ("ParamRef" in rexpr || "A_Const" in rexpr || "List" in rexpr);
      if (isByValue && ["=", "<="].includes(readTexts(name)[0] ?? "")) lookUp(lexpr, level);
    } else if ("SubLink" in condition && condition.SubLink.subLinkType === "ANY_SUBLINK") {
      const { testexpr, subselect } = condition.SubLink;
      if (!testexpr || !subselect || !("SelectStmt" in subselect)) return;
      const inner = visitQuery(subselect.SelectStmt, level);
      const columns = "RowExpr" in testexpr ? (testexpr.RowExpr.args ?? []) : [testexpr];
      for (const [at, column] of columns.entries())
        equate(findOwner(column, level), findOwner(subselect.SelectStmt.targetList?.[at], inner));
    }
  }

  function lookUp(column: Node | undefined, level: Level): void {
    const name = readColumn(column).at(-1) ?? "";
    for (const table of level.tables) table.isLookedUp ||= !!lookUps[table.name]?.includes(name);
  }

  /** The owner of a value that is an account; undefined for other values. */
  function findOwner(node: Node | undefined, level: Level | undefined): Owner | undefined {
    if (!node || !level) return undefined;
    if ("ResTarget" in node) return findOwner(node.ResTarget.val, level);
    if ("ParamRef" in node) return node.ParamRef.number;
    const [column, alias] = readColumn(node).toReversed();
    if (column !== "account_id") return undefined;
    const found = level.tables.find((table) => alias === undefined || table.alias === alias);
    return found ?? findOwner(node, level.outer);
  }

  /** Visits the queries and function calls anywhere in a part. */
  function visitPart(part: unknown, level: Level | undefined): void {
    if (typeof part !== "object" || part === null) return;
    const node = part as Node;
    if ("SelectStmt" in node) {
      visitQuery(node.SelectStmt, level);
      return;
    }
    if ("FuncCall" in node) {
      const name = readTexts(node.FuncCall.funcname).join(".");
      if (!functions.has(name)) faults.push(`calls ${name}`);
    }
    if ("SQLValueFunction" in node) faults.push("depends on the machine's time or user");
    for (const each of Object.values(part)) visitPart(each, level);
  }

  function visitInsert({ relation, cols = [], selectStmt, onConflictClause }: InsertStmt): Level {
    const target = addTable(relation, true);
    const at = cols.findIndex((col) => "ResTarget" in col && col.ResTarget.name === "account_id");
    const source = selectStmt && "SelectStmt" in selectStmt ? selectStmt.SelectStmt : {};
    const inner = visitQuery(source);
    for (const row of source.valuesLists ?? [])
      if ("List" in row) equate(target, findOwner(row.List.items?.[at], inner));
    equate(target, findOwner(source.targetList?.[at], inner));
    if (!source.valuesLists && !source.fromClause)
      faults.push("inserts what is selected from nothing");
    const [key] = onConflictClause?.infer?.indexElems ?? [];
    const conflictKey = key && "IndexElem" in key ? key.IndexElem.name : undefined;
    if (onConflictClause && conflictKey !== "account_id" && isSharded(target))
      faults.push("meets another row at a key that does not begin with its account");
    return { tables: [target], outer: undefined };
  }

  function readValueLists({ ctes = [] }: WithClause = {}): void {
    for (const each of ctes)
      if ("CommonTableExpr" in each) valueLists.add(each.CommonTableExpr.ctename ?? "");
  }

  function visitStatement(node: Node): void {
    for (const each of Object.values(node) as { withClause?: WithClause }[])
      readValueLists(each.withClause);
    if ("SelectStmt" in node) visitQuery(node.SelectStmt);
    else if ("InsertStmt" in node) visitPart(node.InsertStmt, visitInsert(node.InsertStmt));
    else if ("UpdateStmt" in node || "DeleteStmt" in node) {
      const change = "UpdateStmt" in node ? node.UpdateStmt : node.DeleteStmt;
      const level = { tables: [addTable(change.relation, true)], outer: undefined };
      readCondition(change.whereClause, level);
      visitPart(change, level);
      for (const set of "UpdateStmt" in node ? (node.UpdateStmt.targetList ?? []) : [])
        if ("ResTarget" in set && set.ResTarget.name === "account_id")
          faults.push("moves a row to another account");
    } else faults.push(`is a ${Object.keys(node)[0]}`);
  }

  for (const { stmt } of (await parse(sql)).stmts ?? []) if (stmt) visitStatement(stmt);
  const spread = tables.filter(isSharded);
  const accounts = new Set(spread.map(accountOf));
  for (const account of accounts) {
    const own = spread.filter((table) => accountOf(table) === account);
    if (typeof account !== "number" && !own.some(({ isLookedUp }) => isLookedUp))
      faults.push(`does not name the account of ${own.map(({ name }) => name).join(", ")}`);
  }
  if (lockedTables.some((table) => typeof accountOf(table) !== "number"))
    faults.push("locks rows of several machines");
  if (accounts.size > 1) faults.push("joins rows of several accounts");
  return faults;
}

/** Whether a statement must name the account of a table's rows; for API keys only a change must. */
function isSharded({ name, isChanged }: Table): boolean {
  return !replicatedTables.has(name) || (isChanged && name === "api_keys");
}

function readColumn(node: Node | undefined): string[] {
  return node && "ColumnRef" in node ? readTexts(node.ColumnRef.fields) : [];
}

function readTexts(nodes: Node[] = []): string[] {
  return nodes.flatMap((node) => ("String" in node ? [node.String.sval ?? ""] : []));
}
