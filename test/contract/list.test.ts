import { describe, expect, test } from "vitest";
import { listPaymentsQuery } from "../../src/contract/list-payments.ts";

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

  test.for<[name: string, accepted: string[], refused: string[]]>([
    ["limit", ["1", "100"], ["0", "101", "-1", "1.5", "1e1", "0x10", " 10", "", "ten"]],
    ["starting_after", [id, "pay_unknown"], ["", "7", "pay_", "pay_a b"]],
    ["ending_before", [id], ["", "xpay_1", `${id}\n`]],
    ["status", ["pending", "succeeded", "failed", "refunded"], ["", "Pending", "canceled"]],
    ["created[gte]", ["0"], ["", "2026-11-15", "1.5"]],
    ["created[lt]", [], ["9007199254740992", "99999999999999999999", "4242424242424242"]],
    ["created[gt]", [], ["1"]],
    ["created", [], ["1"]],
    ["page", [], ["2"]],
  ])("limits %s", ([name, accepted, refused]) => {
    for (const value of accepted) expect([value, faultsOf({ [name]: value })]).toEqual([value, []]);
    for (const value of refused) {
      expect([value, faultsOf({ [name]: value })]).toEqual([value, [name]]);
    }
  });

  test("accepts one cursor, not two", () => {
    expect(faultsOf({ starting_after: id, ending_before: id })).toEqual(["ending_before"]);
  });
});
