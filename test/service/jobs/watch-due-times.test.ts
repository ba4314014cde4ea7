import { expect, onTestFinished, test } from "vitest";
import {
  takeCard,
  type AwaitedPayment,
  type ProcessingPayment,
} from "../../../src/service/domain/payment-state.ts";
import { watchDueTimes } from "../../../src/service/jobs/watch-due-times.ts";
import { openEmptyStore } from "../../testkit/database/open-empty-store.ts";
import { card, paymentIn } from "../../testkit/payment-in.ts";
import { addEndpoint, failedTry, take } from "../store/contract/endpoints.ts";
import { atMs, eventOf, moveOf, scope, writeOf } from "../store/contract/writes.ts";

async function openWatched() {
  const opened = await openEmptyStore();
  onTestFinished(opened.giveBack);
  const noted: number[] = [];
  const deliveries: number[] = [];
  const store = watchDueTimes(opened.store, {
    onPaymentDue: (dueAtMs) => noted.push(dueAtMs),
    onDeliveryDue: (dueAtMs) => deliveries.push(dueAtMs),
  });
  return { store, noted, deliveries };
}

const awaited = () => paymentIn("pending", atMs, { card: null }) as AwaitedPayment;
const settlement = { reference: "expired_card", dueAtMs: atMs + 1 };

test("what is due with a new payment is noted: its settlement, the end of its page", async () => {
  const { store, noted } = await openWatched();
  await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
  expect(noted).toEqual([]);
  await store.createPayment(() => writeOf(paymentIn("pending", atMs), { settlement }));
  expect(noted).toEqual([atMs + 1]);
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 2 };
  await store.createPayment(() => writeOf(awaited(), { page }));
  expect(noted).toEqual([atMs + 1, atMs + 2]);
});

test("so is the settlement of a payment by page, and when it is asked about again", async () => {
  const { store, noted } = await openWatched();
  const payment = awaited();
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 2 };
  await store.createPayment(() => writeOf(payment, { page }));
  const taken = takeCard(payment, card, "Ada Lovelace") as ProcessingPayment;
  await store.closePage({
    scope,
    payment: taken,
    event: undefined,
    settlement,
    claimableAtMs: undefined,
  });
  await store.postpone(scope, payment.id, atMs + 3);
  expect(noted).toEqual([atMs + 2, atMs + 1, atMs + 3]);
});

test("what was taken is due again when whoever took it is taken to be gone", async () => {
  const { store, noted } = await openWatched();
  await store.createPayment(() => writeOf(paymentIn("pending", atMs), { settlement }));
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 2 };
  await store.createPayment(() => writeOf(awaited(), { page }));
  noted.length = 0;
  const due = { untilMs: atMs + 100, limit: 10 };
  await store.leaseDuePayments({ ...due, nowMs: atMs });
  await store.leaseExpiredPages({ ...due, nowMs: atMs });
  expect(noted).toEqual([]); // nothing was due yet
  await store.leaseDuePayments({ ...due, nowMs: atMs + 10 });
  await store.leaseExpiredPages({ ...due, nowMs: atMs + 10 });
  expect(noted).toEqual([atMs + 100, atMs + 100]);
});

test("deliveries are noted when what makes them due is written, and not before", async () => {
  const { store: opened, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  const told: string[] = [];
  const written = async <T>(write: Promise<T>): Promise<T> => {
    const answer = await write;
    told.push("written");
    return answer;
  };
  const store = watchDueTimes(
    {
      ...opened,
      createPayment: async (make) => written(opened.createPayment(make)),
      transition: async (write) => written(opened.transition(write)),
      closePage: async (write) => written(opened.closePage(write)),
      updateCharge: async (move) => written(opened.updateCharge(move)),
      queueDeliveries: async (write) => written(opened.queueDeliveries(write)),
      endDelivery: async (end) => written(opened.endDelivery(end)),
    },
    { onPaymentDue: () => {}, onDeliveryDue: () => told.push("noted") },
  );
  const expectNoted = async (write: Promise<unknown>) => {
    told.length = 0;
    await write;
    expect(told).toEqual(["written", "noted"]);
  };
  const endpoint = await addEndpoint(store);
  const payment = paymentIn("succeeded", atMs);
  const event = eventOf();
  await expectNoted(store.createPayment(() => writeOf(payment)));
  await expectNoted(store.transition(moveOf(payment, "succeeded")));
  await expectNoted(
    store.closePage({ scope, payment, event, settlement: undefined, claimableAtMs: undefined }),
  );
  await expectNoted(
    store.updateCharge({
      scope,
      paymentId: payment.id,
      from: "charge",
      charge: { pendingAction: "none" },
      payment: { next: payment, from: "succeeded", event },
      request: undefined,
    }),
  );
  const [delivery] = await take(store, endpoint);
  const again = { ...delivery!, id: "del_again", dueAtMs: atMs };
  await expectNoted(store.queueDeliveries({ scope, deliveries: [again], idempotency: undefined }));
  await expectNoted(store.endDelivery(failedTry(delivery!)));
});
