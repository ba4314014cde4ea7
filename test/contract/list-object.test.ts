import { describe, expect, test } from "vitest";
import { listPaymentsQuery } from "../../src/contract/list-object.ts";

const id = "pay_01999999-0000-7000-8000-000000000001";

function faultsOf(query: object): string[] {
  const issues = listPaymentsQuery.safeParse(query).error?.issues ?? [];
  const faults = issues.map((issue) =>
    issue.code === "unrecognized_keys" ? issue.keys.join() : issue.path.join(),
  );
  return [...new Set(faults)];
}

describe("the query of a list", () => {
  test("may be empty", () => {
    expect(listPaymentsQuery.parse({})).toEqual({});
  });

  test("reads integers from text", () => {
    const query = { limit: "100", "created[gte]": "0", "created[lt]": "9007199254740991" };
    expect(listPaymentsQuery.parse(query)).toEqual({
      limit: 100,
      "created[gte]": 0,
      "created[lt]": Number.MAX_SAFE_INTEGER,
    });
  });

  test.each([
    { limit: "1" },
    { limit: "100" },
    { starting_after: id },
    { ending_before: id },
    { starting_after: "pay_unknown" },
    { status: "pending" },
    { status: "succeeded" },
    { status: "failed" },
    { status: "refunded" },
  ])("may be %o", (query) => {
    expect(faultsOf(query)).toEqual([]);
  });

  test.each([
    { limit: "0" },
    { limit: "101" },
    { limit: "-1" },
    { limit: "1.5" },
    { limit: "1e1" },
    { limit: "0x10" },
    { limit: " 10" },
    { limit: "" },
    { limit: "ten" },
    { starting_after: "" },
    { starting_after: "7" },
    { starting_after: "pay_" },
    { starting_after: "pay_a b" },
    { ending_before: "" },
    { ending_before: "xpay_1" },
    { ending_before: `${id}\n` },
    { status: "" },
    { status: "Pending" },
    { status: "canceled" },
    { "created[gte]": "" },
    { "created[gte]": "2026-11-15" },
    { "created[gte]": "1.5" },
    { "created[lt]": "9007199254740992" },
    { "created[lt]": "99999999999999999999" },
    { "created[gt]": "1" },
    { created: "1" },
    { page: "2" },
  ])("may not be %o", (query) => {
    expect(faultsOf(query)).toEqual(Object.keys(query));
  });

  test("takes one cursor, not two", () => {
    expect(faultsOf({ starting_after: id, ending_before: id })).toEqual(["ending_before"]);
  });
});
