import { expect, onTestFinished, test } from "vitest";
import { insertAccount } from "../../../src/service/accounts/accounts-store.ts";
import type { PaymentList } from "../../../src/contract/list-payments.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { migrate, readMigrations } from "../../../src/service/database/migrate.ts";
import { maxUnindexed } from "../../../src/service/search/find-unindexed.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { errorIn, openAppForTest, refusalOf } from "../../testkit/app/open-app.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { insertPaymentsOfBefore, newAccount, paymentIn } from "../../testkit/database/records.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";

/** More than a search looks at directly, after the first batches are indexed too. */
const stored = maxUnindexed + 18_000;
const rowsAtOnce = 4_000;
const apartMs = 60_000;
const account = newAccount();
const scope = { accountId: account.account.id, livemode: false };

/** A payment in a thousand is found by `boulder`, among them the oldest and the newest one. */
const createOld = (index: number, beginMs: number) =>
  paymentIn("succeeded", beginMs + index * apartMs, {
    description: index % 1_000 === 0 || index === stored - 1 ? "A boulder" : `Pebble ${index}`,
    customer: { email: `customer${index % 500}@mail.example`, name: "Ada Lovelace" },
  });

/** A database as the program before the index made it, with payments. */
async function openBefore() {
  const driver = await openDriver(await newDatabase());
  await migrate(driver, insertAccount(account), readMigrations().slice(0, 1));
  const beginMs = Date.now() - (stored + 10) * apartMs;
  const payments = Array.from({ length: stored }, (_, index) => createOld(index, beginMs));
  for (let done = 0; done < stored; done += rowsAtOnce) {
    await insertPaymentsOfBefore(driver, scope, payments.slice(done, done + rowsAtOnce));
  }
  return { driver, payments };
}

test("a database from before is indexed behind the writers, and what is indexed is found meanwhile", async () => {
  const { driver, payments } = await openBefore();
  const store = await openStore(driver, newAccount());
  onTestFinished(async () => store.close());
  const { call, service } = await openAppForTest({
    // Indexing is interrupted after some batches, so that the test sees it half done.
    store: () => ({
      ...store,
      indexPayments: async (...part) => countBatch(await store.indexPayments(...part)),
    }),
  });
  const batches = { left: 0, over: new AbortController() };
  const countBatch = <Batch>(batch: Batch) => {
    if (--batches.left === 0) batches.over.abort();
    return batch;
  };
  /** Writes so many batches of the index, or all; a first pass may only begin it. */
  const index = async (count: number) => {
    Object.assign(batches, { left: count, over: new AbortController() });
    const { signal } = batches.over;
    for (let passes = 0; passes < 3 && !signal.aborted; passes++) {
      const { merged } = await service.indexPayments(signal);
      await merged.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  };
  const ask = async (query: string) => call({ path: `/v1/payments?${query}` });
  const find = async (query: string) => {
    const answer = await ask(query);
    expect([query, answer.status]).toEqual([query, 200]);
    return (JSON.parse(answer.text) as PaymentList).data.map(({ id }) => id);
  };
  const listBoulders = (from: number) =>
    payments
      .filter((each) => each.description === "A boulder" && each.created >= from)
      .map(({ id }) => id)
      .toReversed();

  // Before the first step of the index: writes and lists are as before, and new payments are found in their range.
  const created = await call({ method: "POST", body: bodyWith({ description: "A boulder" }) });
  expect(created.status).toBe(201);
  const made = JSON.parse(created.text) as Payment;
  expect(await find("limit=1")).toEqual([made.id]);
  expect(await find(`limit=1&starting_after=${made.id}`)).toEqual([payments.at(-1)?.id]);
  expect(await find(`search=boulder&created[gte]=${made.created}`)).toEqual([made.id]);
  const unindexed = await ask("search=boulder");
  expect(refusalOf(unindexed)).toMatchObject({ status: 503, code: "service_unavailable" });

  // Half done: the answer says how far back the index reaches, and a range within that is complete.
  await index(2);
  const refused = await ask("search=boulder");
  expect(refusalOf(refused)).toEqual({ status: 503, code: "service_unavailable", param: null });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  const [, reached] = /created\[gte\]=(\d+)/.exec(errorIn(refused).message) ?? [];
  const from = Number(reached);
  expect(from).toBeGreaterThan(payments[0]?.created ?? 0);
  expect(from).toBeLessThan(payments.at(-1)?.created ?? 0);
  expect(errorIn(refused).message).toContain(new Date(from * 1_000).toISOString());
  const within = `search=boulder&limit=100&created[gte]=${from}`;
  expect(await find(within)).toEqual([made.id, ...listBoulders(from)]);
  // A cursor opens no range, and the lists without a search go on.
  const cursor = payments.at(-1)?.id ?? "";
  expect((await ask(`search=boulder&starting_after=${cursor}`)).status).toBe(503);
  expect(await find(`limit=1&starting_after=${payments[1]?.id}`)).toEqual([payments[0]?.id]);

  // Earlier searches go on working, and a payment that was just created is found.
  for (let more = 0; more < 2; more++) {
    await index(1);
    expect(await find(within)).toEqual([made.id, ...listBoulders(from)]);
  }
  const next = await call({ method: "POST", body: bodyWith({ description: "A boulder" }) });
  const { id } = JSON.parse(next.text) as Payment;
  expect(await find(within)).toEqual([id, made.id, ...listBoulders(from)]);

  // In the end everything is found.
  await index(Infinity);
  expect(await find("search=boulder&limit=100")).toEqual([id, made.id, ...listBoulders(0)]);
  const customer = payments.filter(({ customer: of }) => of.email === "customer0@mail.example");
  const byEmail = await find("customer[email]=customer0@mail.example&limit=100");
  expect(byEmail).toEqual(customer.map((each) => each.id).toReversed());
});
