import { expect } from "vitest";
import { describe, test } from "./contended.ts";
import type { ApiKey } from "../../../../src/contract/administration.ts";
import { permissions } from "../../../../src/contract/field-values.ts";
import type { StoredKey } from "../../../../src/service/accounts/accounts-store.ts";
import { newAccount } from "../../../testkit/database/records.ts";
import type { OpenStores } from "../../../testkit/database/open-database.ts";

/** A key, by default of the account `acct_1`; `id` is also its hash. */
function keyOf(id: string, fields: Partial<ApiKey> = {}): StoredKey {
  const key: ApiKey = {
    id,
    object: "api_key",
    account: "acct_1",
    mode: "test",
    name: "shop",
    last4: "wxyz",
    created: 1000,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    permissions,
    max_refund: null,
    ...fields,
  };
  return { hash: `hash of ${id}`, key };
}

const useOf = (id: string, usedAt: number) => ({ account: "acct_1", id, usedAt });

export function keysContract(stores: OpenStores): void {
  describe("a key", () => {
    test("is found by its hash, as it was written", async ({ store }) => {
      const test1 = keyOf("key_1", { expires_at: 2000, revoked_at: 1500, name: "'; -- 😀" });
      const live2 = keyOf("key_2", { mode: "live", account: "acct_2" });
      await store.insertKey(test1);
      await store.insertKey(live2);
      expect(await store.findKey(test1.hash)).toEqual(test1);
      expect(await store.findKey(live2.hash)).toEqual(live2);
      expect(await store.findKey("hash of another")).toBeUndefined();
    });

    test("is listed for its own account, in the order of ids", async ({ store }) => {
      const [one, two, three] = [
        keyOf("key_1"),
        keyOf("key_2"),
        keyOf("key_3", { account: "acct_2" }),
      ];
      for (const each of [two, three, one]) await store.insertKey(each);
      expect(await store.listKeys("acct_1")).toEqual([one.key, two.key]);
      expect(await store.listKeys("acct_3")).toEqual([]);
    });

    test("is listed with those of all accounts, in the order of ids", async ({ store }) => {
      for (const id of ["acct_1", "acct_2"]) await store.insertAccount(newAccount({ id }));
      const [one, two, three] = [
        keyOf("key_1"),
        keyOf("key_2", { account: "acct_2" }),
        keyOf("key_3"),
      ];
      for (const each of [two, three, one]) await store.insertKey(each);
      expect(await store.listKeys(undefined)).toEqual([one.key, two.key, three.key]);
    });

    test.for<Partial<ApiKey>>([
      { permissions: ["read"] },
      { permissions: ["create", "refund"], max_refund: 2 ** 53 - 1 },
      { max_refund: 1 },
      { expires_at: 2_000 },
    ])("is found and listed as it was written, with what it may: %j", async (fields, { store }) => {
      const keys = [keyOf("key_1"), keyOf("key_2", fields), keyOf("key_3")];
      for (const each of keys.toReversed()) await store.insertKey(each);
      expect(await store.findKey("hash of key_2")).toEqual(keys[1]);
      expect(await store.listKeys("acct_1")).toEqual(keys.map(({ key }) => key));
      await store.recordKeyUses([useOf("key_2", 1_600), useOf("key_1", 1_500)]);
      const used = (await store.listKeys("acct_1")).map(({ last_used_at }) => last_used_at);
      expect(used).toEqual([1_500, 1_600, null]);
    });

    test("that may less is rolled and revoked as any other", async ({ store }) => {
      const fields = { permissions: ["read"], max_refund: 5 } as const;
      const [old, successor] = [keyOf("key_1", fields), keyOf("key_2", fields)];
      await store.insertKey(old);
      expect(await store.rollKey("key_1", successor, 2_000)).toBe(true);
      const expiring = { ...old.key, expires_at: 2_000 };
      expect(await store.listKeys("acct_1")).toEqual([expiring, successor.key]);
      const revoked = { ...successor.key, revoked_at: 1_500 };
      expect(await store.revokeKey("acct_1", "key_2", 1_500)).toEqual(revoked);
      expect(await store.rollKey("key_2", keyOf("key_3", fields), 2_000)).toBe(false);
      expect(await store.listKeys("acct_1")).toEqual([expiring, revoked]);
    });

    test("with a known hash is not written again", async ({ store }) => {
      const first = keyOf("key_1");
      await store.insertKey(first);
      await store.insertKey({ ...keyOf("key_2"), hash: first.hash });
      expect(await store.listKeys("acct_1")).toEqual([first.key]);
    });
  });

  test("the latest use of a key is recorded", async ({ store }) => {
    const [one, two, three] = [keyOf("key_1"), keyOf("key_2"), keyOf("key_3")];
    for (const each of [one, two, three]) await store.insertKey(each);
    await store.recordKeyUses([useOf("key_2", 1500), useOf("key_1", 1600)]);
    await store.recordKeyUses([useOf("key_2", 1400), useOf("key_8", 1700)]);
    const uses = (await store.listKeys("acct_1")).map(({ last_used_at }) => last_used_at);
    expect(uses).toEqual([1600, 1500, null]);
  });

  describe("rolling a key", () => {
    test("writes the successor and lets the old one expire", async ({ store }) => {
      const [old, other, successor] = [keyOf("key_1"), keyOf("key_2"), keyOf("key_3")];
      await store.insertKey(old);
      await store.insertKey(other);
      expect(await store.rollKey("key_1", successor, 2000)).toBe(true);
      const expiring = { ...old.key, expires_at: 2000 };
      expect(await store.listKeys("acct_1")).toEqual([expiring, other.key, successor.key]);
    });

    test.each([
      { ends: 1500, becomes: 1500 },
      { ends: 2500, becomes: 2000 },
    ])("never extends the old key: $ends → $becomes", async ({ ends, becomes }) => {
      const store = await (await stores()).open();
      await store.insertKey(keyOf("key_1", { expires_at: ends }));
      await store.rollKey("key_1", keyOf("key_2"), 2000);
      expect(await store.listKeys("acct_1")).toMatchObject([{ expires_at: becomes }, {}]);
    });

    test("that is revoked, unknown or another account's writes nothing", async ({ store }) => {
      const revoked = keyOf("key_1", { revoked_at: 1500 });
      const foreign = keyOf("key_2", { account: "acct_2" });
      for (const each of [revoked, foreign]) await store.insertKey(each);
      for (const id of ["key_1", "key_2", "key_3"])
        expect(await store.rollKey(id, keyOf("key_4"), 2000)).toBe(false);
      expect(await store.listKeys("acct_1")).toEqual([revoked.key]);
      expect(await store.listKeys("acct_2")).toEqual([foreign.key]);
    });
  });

  describe("revoking a key", () => {
    test("returns it with the time of the first revocation, and revokes no other", async ({
      store,
    }) => {
      const [one, two] = [keyOf("key_1"), keyOf("key_2")];
      for (const each of [one, two]) await store.insertKey(each);
      const revoked = { ...one.key, revoked_at: 1500 };
      expect(await store.revokeKey("acct_1", "key_1", 1500)).toEqual(revoked);
      expect(await store.revokeKey("acct_1", "key_1", 1600)).toEqual(revoked);
      expect(await store.listKeys("acct_1")).toEqual([revoked, two.key]);
    });

    test("that is unknown or another account's returns nothing", async ({ store }) => {
      await store.insertKey(keyOf("key_1", { account: "acct_2" }));
      expect(await store.revokeKey("acct_1", "key_1", 1500)).toBeUndefined();
      expect(await store.revokeKey("acct_1", "key_2", 1500)).toBeUndefined();
      expect(await store.listKeys("acct_2")).toMatchObject([{ revoked_at: null }]);
    });
  });
}
