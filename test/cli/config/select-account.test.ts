import { describe, expect, test } from "vitest";
import type { Account } from "../../../src/contract/administration.ts";
import { selectAccount } from "../../../src/cli/config/service-database.ts";

function createAccounts(count: number): Account[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `acct_${at + 1}`,
    object: "account",
    name: `Shop ${at + 1}`,
    default_version: "2026-11-01",
    created: at,
  }));
}

describe("the selected account", () => {
  test("is the only one, or the named one", () => {
    expect(selectAccount(createAccounts(1), undefined).id).toBe("acct_1");
    expect(selectAccount(createAccounts(3), "acct_2").id).toBe("acct_2");
  });

  test("is not guessed among several: the error lists the first ten and the number of others", () => {
    const first10 =
      "acct_1 (Shop 1), acct_2 (Shop 2), acct_3 (Shop 3), acct_4 (Shop 4), acct_5 (Shop 5), acct_6 (Shop 6), acct_7 (Shop 7), acct_8 (Shop 8), acct_9 (Shop 9), acct_10 (Shop 10)";
    expect(() => selectAccount(createAccounts(10), undefined)).toThrow(
      expect.objectContaining({ exitCode: 2, hint: `Give the id of one: ${first10}.` }),
    );
    expect(() => selectAccount(createAccounts(12), undefined)).toThrow(
      expect.objectContaining({ hint: `Give the id of one: ${first10}, and 2 more.` }),
    );
  });

  test("is not found if no account has the id", () => {
    for (const count of [0, 1, 3])
      expect(() => selectAccount(createAccounts(count), "acct_9")).toThrow(
        expect.objectContaining({ exitCode: 5 }),
      );
  });
});
