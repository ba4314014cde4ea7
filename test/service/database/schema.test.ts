import { parse, type Node } from "libpg-query";
import { expect, test } from "vitest";
import { readMigrations } from "../../../src/service/database/migrate.ts";

test("every key and every index begins with its account, but for what finds rows that cannot be found by it", async () => {
  const parsed = await Promise.all(readMigrations().map(async ({ text }) => parse(text)));
  const begun = parsed.flatMap(({ stmts = [] }) => stmts.flatMap(({ stmt }) => beginnings(stmt)));
  expect(begun.length).toBeGreaterThan(10);
  expect(begun.filter((each) => !each.endsWith(" account_id")).toSorted()).toEqual(
    [
      "charges index due_at_ms",
      "hosted_pages index open_until_ms",
      "hosted_pages index token",
      "idempotency_records index expires_at_ms",
      "accounts key id",
      "api_keys index hash",
      "restricted_keys index hash",
      "operators key id",
      "invitations key hash",
      "operator_sessions key hash",
      "operator_accounts index operator_id",
      "invitations index operator_id",
      "operator_sessions index operator_id",
    ].toSorted(),
  );
});

/** The first column of each key, and of each index that a statement makes. */
function beginnings(statement: Node | undefined): string[] {
  if (statement && "IndexStmt" in statement) {
    const { relation, unique, indexParams: [first] = [] } = statement.IndexStmt;
    const column = first && "IndexElem" in first ? first.IndexElem.name : undefined;
    return [`${relation?.relname} ${unique ? "key" : "index"} ${column}`];
  }
  if (!statement || !("CreateStmt" in statement)) return [];
  const { relation, tableElts = [] } = statement.CreateStmt;
  return tableElts.flatMap((element) => {
    const keys = "ColumnDef" in element ? (element.ColumnDef.constraints ?? []) : [element];
    return keys.flatMap((key) => {
      if (!("Constraint" in key) || !isKey.has(key.Constraint.contype ?? "")) return [];
      const [first = element] = key.Constraint.keys ?? [];
      const column =
        "String" in first ? first.String.sval : "ColumnDef" in first && first.ColumnDef.colname;
      return [`${relation?.relname} key ${column}`];
    });
  });
}

const isKey = new Set(["CONSTR_PRIMARY", "CONSTR_UNIQUE"]);
