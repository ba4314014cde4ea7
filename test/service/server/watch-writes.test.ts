import { expect, onTestFinished, test } from "vitest";
import {
  failPayment,
  takeCard,
  type AwaitedPayment,
  type ProcessingPayment,
} from "../../../src/service/payments/payment-state.ts";
import { watchWrites } from "../../../src/service/server/watch-writes.ts";
import { openEmptyStore } from "../../testkit/database/open-database.ts";
import { card, paymentIn } from "../../testkit/database/records.ts";
import { addEndpoint, endDelivery, failedAttempt, lease } from "../database/contract/endpoints.ts";
import {
  afterClaims,
  atMs,
  eventOf,
  moveOf,
  scope,
  simulatedCharge,
  writeOf,
} from "../database/contract/writes.ts";

async function openWatched() {
  const opened = await openEmptyStore();
  onTestFinished(opened.giveBack);
  const payments: number[] = [];
  const deliveries: number[] = [];
  const created: number[] = [];
  const store = watchWrites(opened.store, {
    onPaymentDue: (dueAtMs) => payments.push(dueAtMs),
    onDeliveryDue: (dueAtMs) => deliveries.push(dueAtMs),
    onCreated: (createdMs) => created.push(createdMs),
  });
  return { store, payments, deliveries, created };
}

const buildAwaitedPayment = () => paymentIn("pending", atMs, { card: null }) as AwaitedPayment;
const charge = simulatedCharge(atMs + 1);

test("the due times of a new payment are reported: its charge, and the end of its page", async () => {
  const { store, payments } = await openWatched();
  await store.createPayment(() => writeOf(paymentIn("succeeded", atMs)));
  expect(payments).toEqual([]);
  await store.createPayment(() => writeOf(paymentIn("pending", atMs), { charge }));
  expect(payments).toEqual([atMs + 1]);
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 2 };
  await store.createPayment(() => writeOf(buildAwaitedPayment(), { page }));
  expect(payments).toEqual([atMs + 1, atMs + 2]);
});

test("a new payment is reported with its time, and a second one of its id is not", async () => {
  const { store, created } = await openWatched();
  const write = writeOf(paymentIn("succeeded", atMs));
  await store.createPayment(() => write);
  await store.createPayment(() => write).catch(() => {});
  expect(created).toEqual([atMs]);
});

test("a replay of a new payment reports nothing", async () => {
  const { store, deliveries, created } = await openWatched();
  const create = async (ms: number) =>
    store.createPayment(() => writeOf(paymentIn("succeeded", ms), { key: "k" }));
  await create(atMs);
  expect(await create(atMs + 1)).toMatchObject({ outcome: "replayed" });
  expect([deliveries, created]).toEqual([[atMs], [atMs]]);
});

test("the due time of a page's charge is reported, and so is its next look-up", async () => {
  const { store, payments } = await openWatched();
  const payment = buildAwaitedPayment();
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 2 };
  await store.createPayment(() => writeOf(payment, { page }));
  const processing = takeCard(payment, card, "Ada Lovelace") as ProcessingPayment;
  const claim = { nowMs: atMs, untilMs: undefined };
  await store.chargePage({ scope, payment: processing, claim, charge });
  const state = { dueAtMs: atMs + 3 };
  await store.updateCharge({ scope, paymentId: payment.id, from: "charge", charge: state });
  expect(payments).toEqual([atMs + 2, atMs + 1, atMs + 3]);
});

test("the cancel of a page's charge is reported once it is written, at once or at the end of its lease", async () => {
  const { store, payments } = await openWatched();
  const page = { returnUrl: null, expiresAtMs: atMs + 2 };
  for (const [token, due] of [
    ["one", undefined],
    ["two", atMs + 9],
  ] as const) {
    const payment = buildAwaitedPayment();
    await store.createPayment(() => writeOf(payment, { page: { ...page, token } }));
    const processing = takeCard(payment, card, "Ada Lovelace") as ProcessingPayment;
    const claim = { nowMs: atMs, untilMs: atMs };
    await store.chargePage({ scope, payment: processing, claim, charge });
    payments.length = 0;
    const failed = failPayment(processing, "hpp_expired", 1);
    const closing = { scope, payment: failed, event: eventOf(), claimableAtMs: atMs };
    await store.closePage({ ...closing, ...(due !== undefined && { cancelDueAtMs: due }) });
    expect(payments).toEqual([due ?? 0]);
  }
});

test("the end of a lease is reported, because the work is due then", async () => {
  const { store, payments } = await openWatched();
  await store.createPayment(() => writeOf(paymentIn("pending", atMs), { charge }));
  const page = { token: "token", returnUrl: null, expiresAtMs: atMs + 2 };
  await store.createPayment(() => writeOf(buildAwaitedPayment(), { page }));
  payments.length = 0;
  const due = { untilMs: atMs + 100, limit: 10 };
  await store.leaseDueCharges({ ...due, network: charge.network, nowMs: atMs });
  await store.leaseExpiredPages({ ...due, nowMs: atMs });
  expect(payments).toEqual([]); // nothing was due yet
  await store.leaseDueCharges({ ...due, network: charge.network, nowMs: atMs + 10 });
  await store.leaseExpiredPages({ ...due, nowMs: atMs + 10 });
  expect(payments).toEqual([atMs + 100, atMs + 100]);
});

test("a delivery is reported after the write that makes it due", async () => {
  const { store: opened, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  const calls: string[] = [];
  const recordWrite = async <T>(write: Promise<T>): Promise<T> => {
    const answer = await write;
    calls.push("written");
    return answer;
  };
  const store = watchWrites(
    {
      ...opened,
      createPayment: async (make) => recordWrite(opened.createPayment(make)),
      transition: async (write) => recordWrite(opened.transition(write)),
      closePage: async (write) => recordWrite(opened.closePage(write)),
      updateCharge: async (move) => recordWrite(opened.updateCharge(move)),
      queueDeliveries: async (write) => recordWrite(opened.queueDeliveries(write)),
      requeueEvents: async (write) => recordWrite(opened.requeueEvents(write)),
      writeAttempts: async (ends) => recordWrite(opened.writeAttempts(ends)),
    },
    { onPaymentDue: () => {}, onDeliveryDue: () => calls.push("reported") },
  );
  const expectReported = async (write: Promise<unknown>) => {
    calls.length = 0;
    await write;
    expect(calls).toEqual(["written", "reported"]);
  };
  const endpoint = await addEndpoint(store);
  const payment = paymentIn("succeeded", atMs);
  const event = eventOf();
  await expectReported(store.createPayment(() => writeOf(payment)));
  await expectReported(store.transition(moveOf(payment, "succeeded")));
  await expectReported(store.closePage({ scope, payment, event, ...afterClaims }));
  await expectReported(
    store.updateCharge({
      scope,
      paymentId: payment.id,
      from: "charge",
      charge: { pendingAction: "none" },
      payment: { next: payment, from: "succeeded", event },
      request: undefined,
    }),
  );
  const [delivery] = await lease(store, endpoint);
  const resent = { ...delivery!, id: "del_resent", dueAtMs: atMs };
  await expectReported(
    store.queueDeliveries({ scope, deliveries: [resent], idempotency: undefined }),
  );
  await expectReported(endDelivery(store, failedAttempt(delivery!)));
  const { id: endpointId } = await addEndpoint(store);
  const missed = { scope, endpointId, above: "", limit: 9, nowMs: atMs, includesFailed: true };
  await expectReported(store.requeueEvents(missed));
});
