import { parse, type InsertStmt, type Node, type RangeVar, type SelectStmt } from "libpg-query";

/** Whole on every machine: they may be read without an account. */
const keptWhole = new Set([
  "accounts",
  "api_keys",
  "operators",
  "operator_accounts",
  "invitations",
  "operator_sessions",
  "schema_migrations",
]);

/** By what rows are found that cannot be found by their account. */
const lookUps: Record<string, string[]> = {
  charges: ["due_at_ms"],
  deliveries: ["due_at_ms"],
  hosted_pages: ["token", "open_until_ms"],
  idempotency_records: ["expires_at_ms"],
};

/** What depends on its arguments alone, whichever machine computes it. */
const functions = new Set(["count", "max", "min", "octet_length", "substr", "sum"]);

type Table = { name: string; alias: string; isChanged: boolean; isLookedUp: boolean };
/** The tables that a part of a statement names, and around it those of the parts that it stands in. */
type Level = { tables: Table[]; outer: Level | undefined };
/** Whose account a row is of: a parameter's number stands for what the program knows. */
type Owner = Table | number;

/**
 * What is wrong with a statement where rows are spread over machines by their account: it names the
 * account of each row that it reads or writes, which is one for all of them, and has no form that such an
 * engine refuses.
 */
export async function faultsOf(sql: string): Promise<string[]> {
  const faults: string[] = [];
  const tables: Table[] = [];
  const levels = new Map<SelectStmt, Level>();
  const sameAs = new Map<Owner, Owner>();

  function accountOf(owner: Owner): Owner {
    const other = sameAs.get(owner);
    return other === undefined ? owner : accountOf(other);
  }

  function equate(one: Owner | undefined, other: Owner | undefined): void {
    if (one === undefined || other === undefined) return;
    const [a, b] = [accountOf(one), accountOf(other)];
    if (a !== b) sameAs.set(typeof a === "number" ? b : a, typeof a === "number" ? a : b);
  }

  function named({ relname: name = "", alias }: RangeVar = {}, isChanged = false): Table {
    const table = { name, alias: alias?.aliasname ?? name, isChanged, isLookedUp: false };
    tables.push(table);
    return table;
  }

  /** A query's own level; its conditions, and the queries inside it, are seen to. */
  function select(query: SelectStmt, outer?: Level): Level {
    const before = levels.get(query);
    if (before) return before;
    const level: Level = { tables: [], outer };
    levels.set(query, level);
    for (const each of query.fromClause ?? []) from(each, level);
    hold(query.whereClause, level);
    if (query.lockingClause) faults.push("locks rows of several machines");
    look(query, level);
    return level;
  }

  function from(node: Node | undefined, level: Level): void {
    if (!node) return;
    if ("RangeVar" in node) level.tables.push(named(node.RangeVar));
    if (!("JoinExpr" in node)) return;
    from(node.JoinExpr.larg, level);
    from(node.JoinExpr.rarg, level);
    hold(node.JoinExpr.quals, level);
  }

  /** What a condition that must hold says of the accounts of rows. */
  function hold(condition: Node | undefined, level: Level): void {
    if (!condition) return;
    if ("BoolExpr" in condition && condition.BoolExpr.boolop === "AND_EXPR") {
      for (const each of condition.BoolExpr.args ?? []) hold(each, level);
    } else if ("A_Expr" in condition) {
      const { name, lexpr, rexpr } = condition.A_Expr;
      if (textsOf(name)[0] === "=") equate(ownerIn(lexpr, level), ownerIn(rexpr, level));
      const isByValue = rexpr !== undefined && ("ParamRef" in rexpr || "A_Const" in rexpr);
      if (isByValue && ["=", "<="].includes(textsOf(name)[0] ?? "")) lookUp(lexpr, level);
    } else if ("SubLink" in condition && condition.SubLink.subLinkType === "ANY_SUBLINK") {
      const { testexpr, subselect } = condition.SubLink;
      if (!testexpr || !subselect || !("SelectStmt" in subselect)) return;
      const inner = select(subselect.SelectStmt, level);
      const columns = "RowExpr" in testexpr ? (testexpr.RowExpr.args ?? []) : [testexpr];
      for (const [at, column] of columns.entries())
        equate(ownerIn(column, level), ownerIn(subselect.SelectStmt.targetList?.[at], inner));
    }
  }

  function lookUp(column: Node | undefined, level: Level): void {
    const name = columnIn(column).at(-1) ?? "";
    for (const table of level.tables) table.isLookedUp ||= !!lookUps[table.name]?.includes(name);
  }

  /** Whose account a value is; undefined where it is none. */
  function ownerIn(node: Node | undefined, level: Level | undefined): Owner | undefined {
    if (!node || !level) return undefined;
    if ("ResTarget" in node) return ownerIn(node.ResTarget.val, level);
    if ("ParamRef" in node) return node.ParamRef.number;
    const [column, alias] = columnIn(node).toReversed();
    if (column !== "account_id") return undefined;
    const found = level.tables.find((table) => alias === undefined || table.alias === alias);
    return found ?? ownerIn(node, level.outer);
  }

  /** Sees to the queries, and what is called, anywhere in a part. */
  function look(part: unknown, level: Level | undefined): void {
    if (typeof part !== "object" || part === null) return;
    const node = part as Node;
    if ("SelectStmt" in node) {
      select(node.SelectStmt, level);
      return;
    }
    if ("FuncCall" in node) {
      const name = textsOf(node.FuncCall.funcname).join(".");
      if (!functions.has(name)) faults.push(`calls ${name}`);
    }
    if ("SQLValueFunction" in node) faults.push("asks the machine for its time or user");
    for (const each of Object.values(part)) look(each, level);
  }

  function insert({ relation, cols = [], selectStmt, onConflictClause }: InsertStmt): Level {
    const target = named(relation, true);
    const at = cols.findIndex((col) => "ResTarget" in col && col.ResTarget.name === "account_id");
    const source = selectStmt && "SelectStmt" in selectStmt ? selectStmt.SelectStmt : {};
    const inner = select(source);
    for (const row of source.valuesLists ?? [])
      if ("List" in row) equate(target, ownerIn(row.List.items?.[at], inner));
    equate(target, ownerIn(source.targetList?.[at], inner));
    if (!source.valuesLists && !source.fromClause)
      faults.push("inserts what is selected from nothing");
    const [key] = onConflictClause?.infer?.indexElems ?? [];
    const meetsAt = key && "IndexElem" in key ? key.IndexElem.name : undefined;
    if (onConflictClause && meetsAt !== "account_id" && isSpread(target))
      faults.push("meets another row at a key that does not begin with its account");
    return { tables: [target], outer: undefined };
  }

  function statement(node: Node): void {
    if ("SelectStmt" in node) select(node.SelectStmt);
    else if ("InsertStmt" in node) look(node.InsertStmt, insert(node.InsertStmt));
    else if ("UpdateStmt" in node || "DeleteStmt" in node) {
      const change = "UpdateStmt" in node ? node.UpdateStmt : node.DeleteStmt;
      const level = { tables: [named(change.relation, true)], outer: undefined };
      hold(change.whereClause, level);
      look(change, level);
      for (const set of "UpdateStmt" in node ? (node.UpdateStmt.targetList ?? []) : [])
        if ("ResTarget" in set && set.ResTarget.name === "account_id")
          faults.push("moves a row to another account");
    } else faults.push(`is a ${Object.keys(node)[0]}`);
  }

  for (const { stmt } of (await parse(sql)).stmts ?? []) if (stmt) statement(stmt);
  const spread = tables.filter(isSpread);
  const accounts = new Set(spread.map(accountOf));
  for (const account of accounts) {
    const own = spread.filter((table) => accountOf(table) === account);
    if (typeof account !== "number" && !own.some(({ isLookedUp }) => isLookedUp))
      faults.push(`does not name the account of ${own.map(({ name }) => name).join(", ")}`);
  }
  if (accounts.size > 1) faults.push("joins rows of several accounts");
  return faults;
}

/** Whether a table's rows are to be found by their account; keys are, by who changes them. */
function isSpread({ name, isChanged }: Table): boolean {
  return !keptWhole.has(name) || (isChanged && name === "api_keys");
}

function columnIn(node: Node | undefined): string[] {
  return node && "ColumnRef" in node ? textsOf(node.ColumnRef.fields) : [];
}

function textsOf(nodes: Node[] = []): string[] {
  return nodes.flatMap((node) => ("String" in node ? [node.String.sval ?? ""] : []));
}
