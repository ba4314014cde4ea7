import { expect, test } from "vitest";
import {
  refund,
  type PendingPayment,
  type RefundedPayment,
} from "../../../src/service/payments/payment-state.ts";
import { queryRows, type Row, type Transaction } from "../../../src/service/database/driver.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import type { Store } from "../../../src/service/service.ts";
import { newAccount, paymentIn } from "../../testkit/database/records.ts";
import { openPostgresForTest, takeEmptyDatabase } from "../../testkit/database/open-database.ts";
import { activityOf } from "./contract/activity.ts";
import { atMs, moveOf, scope, storedCharge, writeOf } from "./contract/writes.ts";
import { startCountingProxy } from "../../testkit/database/proxies.ts";

const laterSeconds = atMs / 1000 + 60;
const page = { below: "pay_g", above: "", direction: "forward" } as const;

async function openCounted() {
  const { url, countRoundTrips } = await startCountingProxy(await takeEmptyDatabase());
  const { driver } = await openPostgresForTest({ pool_max_conns: "1" }, url);
  return { driver, store: await openStore(driver, newAccount()), countRoundTrips };
}

let keys = 0;
const newKey = () => `key-${keys++}`;

/** Each says what is there before, and then what is counted. */
const cases: [what: string, prepare: (store: Store) => Promise<() => Promise<unknown>>][] = [
  ["a create", async (store) => async () => store.createPayment(() => writeOf(buildSucceeded()))],
  [
    "a create with an idempotency key",
    async (store) => async () =>
      store.createPayment(() => writeOf(buildSucceeded(), { key: newKey() })),
  ],
  [
    "a create with a charge",
    async (store) => async () =>
      store.createPayment(() => writeOf(buildPending(), { charge: storedCharge() })),
  ],
  [
    "a create with a charge and an idempotency key",
    async (store) => async () =>
      store.createPayment(() => writeOf(buildPending(), { charge: storedCharge(), key: newKey() })),
  ],
  [
    "a refund requested of a network, with an idempotency key",
    async (store) => {
      const payment = buildSucceeded();
      const settled = storedCharge({ pendingAction: "none", dueAtMs: null });
      await store.createPayment(() => writeOf(payment, { charge: settled }));
      const { idempotency } = moveOf(payment, "succeeded", { key: newKey() });
      const activity = [activityOf(`act_${payment.id}`)];
      const request = {
        scope,
        paymentId: payment.id,
        nowMs: atMs,
        dueAtMs: atMs,
        idempotency,
        activity,
      };
      return async () => expect(await store.requestRefund(request)).toEqual({ outcome: "written" });
    },
  ],
  [
    "a refund with an idempotency key",
    async (store) => {
      const payment = buildSucceeded();
      await store.createPayment(() => writeOf(payment));
      const refunded = refund(payment, laterSeconds) as RefundedPayment;
      return async () =>
        store.transition({
          ...moveOf(refunded, "succeeded", { key: newKey() }),
          activity: [activityOf(`act_${payment.id}`)],
        });
    },
  ],
  [
    "a payment that is retrieved",
    async (store) => {
      const payment = buildSucceeded();
      await store.createPayment(() => writeOf(payment));
      return async () => store.findPayment(scope, payment.id);
    },
  ],
  [
    "a page of a list",
    async (store) => async () => store.listPayments(scope, { ...page, limit: 10 }),
  ],
];

test.each(cases)("%s takes one round trip, also the first time", async (_, prepare) => {
  const { store, countRoundTrips } = await openCounted();
  for (const time of ["first", "second"]) {
    const work = await prepare(store);
    expect([time, await countRoundTrips(work)]).toEqual([time, 1]);
  }
});

test("a statement can be prepared though one that came with it failed", async () => {
  const { driver, countRoundTrips } = await openCounted();
  const wrong = { sql: "SELECT nothing", params: [] };
  const right = { sql: "SELECT $1::bigint AS n", params: [7] };
  const together = driver.read(function* (): Transaction<Row[][]> {
    return yield { queries: [right, wrong, right], isLast: false };
  });
  await expect(together).rejects.toThrow("nothing");
  const alone = async () =>
    expect(await driver.read(() => queryRows(right.sql, [7]))).toEqual([{ n: 7 }]);
  expect(await countRoundTrips(alone)).toBe(1);
  expect(await countRoundTrips(alone)).toBe(1);
});

function buildSucceeded() {
  return paymentIn("succeeded", atMs);
}

function buildPending(): PendingPayment {
  return paymentIn("pending", atMs) as PendingPayment;
}
