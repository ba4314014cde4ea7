import { expect } from "vitest";
import { describe, test } from "./contended.ts";
import { newAccount } from "../../../testkit/database/records.ts";

export function accountsContract(): void {
  describe("an account", () => {
    test("is found by its id, as it was written", async ({ store }) => {
      const stored = newAccount({ name: "'; -- 😀" });
      await store.insertAccount(stored);
      expect(await store.findAccount(stored.account.id)).toEqual(stored);
      expect(await store.findAccount("acct_unknown")).toBeUndefined();
    });

    test("is listed among the others, oldest first", async ({ store }) => {
      const [old, young, youngest] = [
        newAccount({ id: "acct_c", created: 500 }),
        newAccount({ id: "acct_a", created: 2_000 }),
        newAccount({ id: "acct_b", created: 2_000 }),
      ];
      for (const each of [youngest, old, young]) await store.insertAccount(each);
      const ids = (await store.listAccounts()).map(({ id }) => id);
      expect(ids).toEqual(["acct_c", expect.stringMatching(/^acct_0/), "acct_a", "acct_b"]);
    });

    test("is renamed, and no other", async ({ store }) => {
      const [shop, other] = [newAccount({ name: "Shop" }), newAccount({ name: "Other" })];
      for (const each of [shop, other]) await store.insertAccount(each);
      const renamed = { ...shop.account, name: "Books & Co" };
      expect(await store.renameAccount(renamed.id, renamed.name)).toEqual(renamed);
      expect(await store.findAccount(renamed.id)).toEqual({ ...shop, account: renamed });
      expect(await store.findAccount(other.account.id)).toEqual(other);
      expect(await store.renameAccount("acct_unknown", "Nobody")).toBeUndefined();
    });
  });
}
