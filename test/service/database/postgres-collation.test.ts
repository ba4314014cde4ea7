import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { permissions } from "../../../src/contract/field-values.ts";
import { openPostgres } from "../../../src/service/database/postgres.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Store } from "../../../src/service/service.ts";
import {
  newPostgresDatabase,
  newSchema,
  formatIcuLocale,
} from "../../testkit/database/open-database.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { registerTests } from "./contract/contended.ts";
import { pagesContract } from "./contract/pages.ts";
import { allPages, atMs, writeOf } from "./contract/writes.ts";

/** A schema of its own in a database. */
async function schemaIn(database: string): Promise<{ open: () => Promise<Store> }> {
  const url = await newSchema(database);
  return {
    open: async () => {
      const store = await openStore(openPostgres(url), newAccount());
      onTestFinished(async () => store.close());
      return store;
    },
  };
}

// Ids are hexadecimal, and `aa` is a letter in Danish.
describe("on a database that sorts by the rules of Danish", () => {
  let database: string;
  beforeAll(async () => {
    database = await newPostgresDatabase(formatIcuLocale("da"));
  });
  registerTests(async () => schemaIn(database), { isContendedOnly: false }, pagesContract);

  test("payments of every time come in the order of their bytes", async () => {
    const store = await (await schemaIn(database)).open();
    const from = Math.floor(atMs / 0x10000) * 0x10000;
    const all = Array.from({ length: 0x100 }, (__, i) => paymentIn("succeeded", from + i * 0x100));
    for (const payment of all) await store.createPayment(() => writeOf(payment));
    const expected = all.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1));
    expect((await allPages(store)).map(({ id }) => id)).toEqual(expected);
  });

  test("keys come in the order of their bytes", async () => {
    const store = await (await schemaIn(database)).open();
    const ids = ["key_a9", "key_aa", "key_ab", "key_b0"];
    for (const id of ids.toReversed()) await store.insertKey(keyWith(id));
    expect((await store.listKeys("acct_1")).map(({ id }) => id)).toEqual(ids);
  });
});

function keyWith(id: string): Parameters<Store["insertKey"]>[0] {
  const times = { created: 1, expires_at: null, revoked_at: null, last_used_at: null };
  const grant = { permissions, max_refund: null };
  const whose = { account: "acct_1", mode: "test", name: id } as const;
  return { hash: id, key: { id, object: "api_key", ...whose, last4: "abcd", ...times, ...grant } };
}
