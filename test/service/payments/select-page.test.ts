import { beforeEach, expect, onTestFinished, test } from "vitest";
import { toTokenPrefix } from "../../../src/service/payments/hosted-page-state.ts";
import type { AwaitedPayment } from "../../../src/service/payments/payment-state.ts";
import { ShardUnavailable, type Query } from "../../../src/service/database/driver.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Store } from "../../../src/service/service.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { atMs, writeOf } from "../database/contract/writes.ts";
import { createLosingDriver } from "../../testkit/database/watched-driver.ts";

const lost = newAccount();
const other = newAccount();
const idOf = { lost: lost.account.id, other: other.account.id };
const tokenOf = { lost: `${toTokenPrefix(idOf.lost)}a`, other: `${toTokenPrefix(idOf.other)}b` };
let store: Store;

beforeEach(async () => {
  const driver = createLosingDriver(await openDriver(await newDatabase()), (query) =>
    reachesPages(query, idOf.lost),
  );
  store = await openStore(driver, lost);
  await store.insertAccount(other);
  onTestFinished(async () => store.close());
  for (const [account, token] of [
    [idOf.lost, tokenOf.lost],
    [idOf.other, tokenOf.other],
    [idOf.other, "older"],
  ] as const) {
    const payment = paymentIn("pending", atMs, { card: null }) as AwaitedPayment;
    const page = { token, returnUrl: null, expiresAtMs: atMs + 1_000 };
    const scope = { accountId: account, livemode: false };
    await store.createPayment(() => writeOf(payment, { scope, page }));
  }
});

test("the page of an account whose machine is there is found while another one is lost", async () => {
  const found = await store.findPage(tokenOf.other);
  expect(found).toMatchObject({ scope: { accountId: idOf.other }, page: { token: tokenOf.other } });
});

test.each([
  ["of an account on the lost machine", tokenOf.lost],
  ["whose token does not tell the account", "older"],
  ["that may be one of the lost machine", `${toTokenPrefix(idOf.lost)}unknown`],
])("a page %s is unavailable", async (_, token) => {
  await expect(store.findPage(token)).rejects.toThrow(ShardUnavailable);
});

/** Whether a query of pages would reach an account's. */
function reachesPages({ sql, params }: Query, accountId: string): boolean {
  return sql.includes("FROM hosted_pages") && (params.length === 1 || params.includes(accountId));
}
