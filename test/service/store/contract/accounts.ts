import { describe, expect, test } from "vitest";
import { newAccount } from "../../../testkit/database/new-account.ts";
import type { OpenStores } from "../../../testkit/database/open-stores.ts";

export function accountsContract(stores: OpenStores): void {
  describe("a new database", () => {
    test("has one account, which is still its only one when it is opened again", async () => {
      const database = await stores();
      const first = await database.open();
      const accounts = await first.listAccounts();
      expect(accounts).toEqual([
        {
          id: expect.stringMatching(/^acct_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/) as unknown,
          object: "account",
          name: "Default",
          default_version: "2026-11-01",
          created: 1_000,
        },
      ]);
      await first.close();
      expect(await (await database.open()).listAccounts()).toEqual(accounts);
    });

    test("has one account, too, where several processes open it at once", async () => {
      const database = await stores();
      const processes = await Promise.all([1, 2, 3].map(async () => database.open()));
      const seen = await Promise.all(processes.map(async (store) => store.listAccounts()));
      expect(seen[0]).toHaveLength(1);
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
    });
  });

  describe("an account", () => {
    test("is found by its id, as it was written", async () => {
      const store = await (await stores()).open();
      const stored = newAccount({ name: "'; -- 😀" });
      await store.insertAccount(stored);
      expect(await store.findAccount(stored.account.id)).toEqual(stored);
      expect(await store.findAccount("acct_unknown")).toBeUndefined();
    });

    test("is listed among the others, oldest first", async () => {
      const store = await (await stores()).open();
      const [old, young, youngest] = [
        newAccount({ id: "acct_c", created: 500 }),
        newAccount({ id: "acct_a", created: 2_000 }),
        newAccount({ id: "acct_b", created: 2_000 }),
      ];
      for (const each of [youngest, old, young]) await store.insertAccount(each);
      const ids = (await store.listAccounts()).map(({ id }) => id);
      expect(ids).toEqual(["acct_c", expect.stringMatching(/^acct_0/), "acct_a", "acct_b"]);
    });

    test("is renamed, and no other", async () => {
      const store = await (await stores()).open();
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
