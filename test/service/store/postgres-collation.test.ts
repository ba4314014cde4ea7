import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { openPostgres } from "../../../src/service/store/postgres.ts";
import { openStore } from "../../../src/service/store/store.ts";
import type { Store } from "../../../src/service/use-cases/ports.ts";
import { paymentIn } from "../domain/payment-in.ts";
import { pagesContract } from "./contract/pages.ts";
import { allPages, atMs, writeOf } from "./contract/writes.ts";

/** A new database that sorts by the rules of a language. */
async function databaseIn(language: string): Promise<{ open: () => Promise<Store> }> {
  const server = inject("postgresUrl") ?? "";
  const name = `icu_${randomBytes(8).toString("hex")}`;
  const client = new Client(server);
  await client.connect();
  await client.query(
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${language}' LOCALE 'C.UTF-8'`,
  );
  await client.end();
  const url = server.replace(/\/postgres$/, `/${name}`);
  return {
    open: async () => {
      const store = await openStore(openPostgres(url));
      onTestFinished(async () => store.close());
      return store;
    },
  };
}

// Ids are hexadecimal: in most languages their order is that of their bytes.
describe.each(["en-US", "de"])("on a database that sorts as %s does", (language) => {
  pagesContract(async () => databaseIn(language));

  test("payments of every time come in the order of their bytes", async () => {
    const store = await (await databaseIn(language)).open();
    const from = Math.floor(atMs / 0x10000) * 0x10000;
    const all = Array.from({ length: 0x100 }, (_, i) => paymentIn("succeeded", from + i * 0x100));
    await Promise.all(all.map(async (payment) => store.createPayment(() => writeOf(payment))));
    const expected = all.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1));
    expect((await allPages(store)).map(({ id }) => id)).toEqual(expected);
  });
});
