import { expect, onTestFinished, test, vi } from "vitest";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { RefundInProgress } from "../../../src/service/payments/refund-payment.ts";
import { noResponseYet } from "../../../src/service/idempotency/idempotency-store.ts";
import type { Store } from "../../../src/service/service.ts";
import { parsePayment } from "../../testkit/database/records.ts";
import {
  declined,
  fakeNetwork,
  late,
  lost,
  processing,
  unreached,
} from "../../testkit/network/fake-network.ts";
import {
  bodyWith,
  cardWith,
  openNewStore,
  openPage,
  openTestService,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

// The calls of a network that moves money; charges-model tests random orders and faults.

const request = { key: "order-1001", fingerprint: "f" };
const timeouts = { keyMs: 0, refundMs: 0 };
const declinedBody = bodyWith({ card: cardWith({ number: "4000000000009995" }) });

async function open(options: Parameters<typeof openTestService>[0] = {}, fake = fakeNetwork()) {
  const opened = await openTestService({ networkOf: fake.networkOf, timeouts, ...options });
  const { service, live: scope, time } = opened;
  return {
    ...opened,
    fake,
    scope,
    find: async (id: string) => parsePayment(await service.getPayment(scope, id)),
    chargeOf: async (id: string) => opened.store.findCharge(scope, id),
    /** Lets time pass, and settles due charges. */
    settleIn: async (ms: number) => {
      time.nowMs += ms;
      while ((await service.settlePayments()) > 0);
      await opened.settleCharges();
    },
  };
}

test("an approval within the request is answered as succeeded, and stored with the network's reference", async () => {
  const { pay, scope, fake, chargeOf } = await open();
  const payment = await pay(scope);
  expect(payment).toMatchObject({ status: "succeeded", card: { country: "DE" } });
  const reference = `ch_${payment.id}`;
  expect(await chargeOf(payment.id)).toMatchObject({
    pendingAction: "none",
    reference,
    dueAtMs: null,
  });
  expect(fake.calls).toHaveLength(1);
});

test("payment, idempotency record and charge are written before the network is called", async () => {
  const { pay, scope, fake, store, time, chargeOf, find } = await open();
  const seen: unknown[] = [];
  fake.steps.charge.push(async (decide) => {
    const [id = ""] = [fake.calls[0]?.[1].id];
    seen.push((await find(id)).status, (await chargeOf(id))?.pendingAction);
    seen.push(await store.findStoredResponse(scope, request.key, time.nowMs));
    return decide();
  });
  await pay(scope, bodyWith(), request);
  const stored = {
    fingerprint: "f",
    response: { status: 201 },
    lockedUntilMs: time.nowMs + 30_000,
  };
  expect(seen).toEqual([
    "pending",
    "charge",
    expect.objectContaining({
      ...stored,
      response: expect.objectContaining(stored.response) as unknown,
    }),
  ]);
});

test("a decline is answered as pending, and the payment fails at once", async () => {
  const { pay, scope, find, chargeOf } = await open();
  const { id, status } = await pay(scope, declinedBody);
  expect(status).toBe("pending");
  expect(await find(id)).toMatchObject({ status: "failed", decline_code: "insufficient_funds" });
  expect(await chargeOf(id)).toMatchObject({ pendingAction: "none" });
});

test("another request with the key of a running charge never calls the network", async () => {
  const store = await openNewStore();
  const [one, other] = [await open({ store }), await open({ store })];
  const answered = Promise.withResolvers<void>();
  one.fake.steps.charge.push(late(answered.promise));
  const first = one.service.createPayment(one.scope, bodyWith(), request);
  await expect.poll(() => one.fake.calls.length).toBe(1);
  const retry = async (fingerprint: string) =>
    other.service.createPayment(one.scope, bodyWith(), { ...request, fingerprint });
  await expect(retry("f")).rejects.toMatchObject({ code: "idempotency_key_in_use" });
  await expect(retry("g")).rejects.toMatchObject({ code: "idempotency_key_reused" });
  answered.resolve();
  const answer = await first;
  expect(JSON.parse(answer.body)).toMatchObject({ status: "succeeded" });
  expect(await retry("f")).toEqual({ ...answer, replayed: true });
  expect(other.fake.calls).toEqual([]);
});

test("the idempotency record of a charge that another replica has settled is unlocked", async () => {
  const { pay, scope, fake, store, time, settleIn } = await open();
  fake.steps.charge.push(async (decide) => {
    await settleIn(30_001); // by another replica, whose clock is ahead
    return decide();
  });
  await pay(scope, bodyWith(), request);
  expect(await store.findStoredResponse(scope, request.key, time.nowMs)).toMatchObject({
    lockedUntilMs: 0,
  });
});

test("a request whose charge was canceled meanwhile is not answered as succeeded", async () => {
  const { pay, scope, fake, time, settleCharges, settleIn, find } = await open();
  fake.steps.charge.push(async (decide) => {
    time.nowMs += 30_001; // another replica, whose clock is ahead, finds that the charge never arrived
    await settleCharges();
    return decide();
  });
  const { id, status } = await pay(scope, bodyWith(), request);
  expect(status).toBe("pending");
  await settleIn(1);
  expect((await find(id)).status).toBe("failed");
  expect(fake.listCharged()).toEqual([]);
});

test("a request whose replica has crashed is answered as pending once its lock expires", async () => {
  const store = await openNewStore();
  const [ended, other] = [await open({ store }), await open({ store })];
  ended.fake.steps.charge.push(async () => new Promise(() => {}));
  // Not awaited: it would answer after 10 s, when its store is closed.
  ended.service.createPayment(ended.scope, bodyWith(), request).catch(() => {});
  await expect.poll(() => ended.fake.calls.length).toBe(1);
  other.time.nowMs += 30_001;
  const { body } = await other.service.createPayment(other.scope, bodyWith(), request);
  const { id, status } = JSON.parse(body) as { id: string; status: string };
  expect(status).toBe("pending");
  await other.settleIn(1);
  expect(other.fake.calls.map(([what]) => what)).toEqual(["lookUp", "cancel"]);
  expect(await other.find(id)).toMatchObject({
    status: "failed",
    decline_code: "processing_error",
  });
});

test.each([
  ["was not reached", unreached, "failed", ["charge", "lookUp", "cancel"]],
  ["charged the card, but its answer was lost", lost, "succeeded", ["charge", "lookUp"]],
] as const)(
  "where the network %s, it is called again after 1 s, and the payment has %s",
  async (_, step, status, calls) => {
    const { pay, scope, fake, settleIn, find } = await open();
    fake.steps.charge.push(step);
    const payment = await pay(scope);
    expect(payment.status).toBe("pending");
    await settleIn(999);
    expect(fake.calls).toHaveLength(1);
    await settleIn(1);
    expect((await find(payment.id)).status).toBe(status);
    expect(fake.calls.map(([what]) => what)).toEqual(calls);
    expect(fake.listCharged()).toEqual(status === "succeeded" ? [payment.id] : []);
  },
);

const unreachable: Store["updateCharge"] = async () => {
  throw new Unavailable("The database cannot be reached.");
};

test("a retry charges nothing twice while an outcome cannot be written, with or without a key", async () => {
  const store = await openNewStore();
  const away = await open({ store: { ...store, updateCharge: unreachable } });
  const back = await open({ store, networkOf: away.fake.networkOf });
  const { id, status } = await away.pay(away.scope);
  expect(status).toBe("pending");
  await expect(away.pay(away.scope, bodyWith(), request)).rejects.toThrow(Unavailable);
  await back.settleIn(30_000);
  expect(await back.find(id)).toMatchObject({ status: "succeeded" });
  const retry = await back.pay(back.scope, bodyWith(), request);
  expect(away.fake.listCharged().toSorted()).toEqual([id, retry.id].toSorted());
});

test("while the circuit breaker is open, only the charge that it lets through is settled", async () => {
  const { pay, scope, fake, store, settler, time } = await open();
  fake.steps.charge.push(unreached, unreached, unreached);
  for (let made = 0; made < 3; made++) await pay(scope);
  time.nowMs += 1_000;
  fake.isFailing = true;
  for (const isFull of [true, false]) {
    fake.isFull = isFull;
    await settler.settle();
    await settler.idle();
  }
  const due = {
    nowMs: time.nowMs,
    untilMs: time.nowMs + 30_000,
    limit: 32,
    network: fake.network.name,
    accountId: scope.accountId,
  };
  const left = await store.leaseDueCharges(due);
  expect(left.map(({ charge }) => charge.pendingAction)).toEqual(["charge", "charge"]);
  const later = fake.calls.slice(3).map(([what]) => what);
  expect(later).toEqual(["lookUp", "cancel"]); // of one charge, which the network never received
});

test("while the circuit breaker is open, accounts take turns", async () => {
  const { pay, scope, fake, service, settler, time } = await open();
  const { id: accountId } = await service.createAccount({ name: "Books" });
  for (const of of [scope, { ...scope, accountId }]) {
    fake.steps.charge.push(unreached, unreached);
    for (let made = 0; made < 2; made++) await pay(of);
  }
  fake.steps.lookUp.push(...Array.from({ length: 4 }, () => unreached));
  time.nowMs += 1_000;
  fake.isFailing = true;
  for (let turn = 0; turn < 4; turn++) {
    await settler.settle();
    await settler.idle();
  }
  const askedOf = fake.calls.slice(4).map(([, charge]) => charge.accountId);
  expect(askedOf[0]).not.toBe(askedOf[1]);
  expect(askedOf.slice(2)).toEqual(askedOf.slice(0, 2));
});

test("charges, refunds and settlement acquire slots by account and purpose", async () => {
  const opened = await open();
  const { pay, scope, fake, service, settleIn } = opened;
  const { accountId } = scope;
  const seen: unknown[] = [];
  const see = <Decision>(decide: () => Decision): Decision => (
    seen.push(...fake.admitted),
    decide()
  );
  fake.steps.charge.push(see, see, unreached);
  fake.steps.refund.push(see);
  fake.steps.lookUp.push(see);
  const { id } = await pay(scope);
  const { token } = await openPage(opened, scope);
  await service.payPage(token, typedVisa);
  await service.refundPayment(scope, id);
  await pay(scope);
  await settleIn(1_000);
  expect(seen).toEqual(
    ["charge", "charge", "settlement", "settlement"].map((purpose) => ({ accountId, purpose })),
  );
  expect(fake.admitted).toEqual([]);
});

test("neither a charge without an answer nor an account with many of them delays others", async () => {
  const { pay, scope, fake, service, settler, time } = await open();
  const { id: accountId } = await service.createAccount({ name: "Books" });
  const hung = Promise.withResolvers<void>();
  const make = async (of: typeof scope, count: number) => {
    fake.steps.charge.push(...Array.from({ length: count }, () => lost));
    for (let made = 0; made < count; made++) await pay(of);
  };
  await make(scope, 3);
  fake.steps.lookUp.push(...Array.from({ length: 3 }, () => late(hung.promise)));
  time.nowMs += 1_000;
  await settler.settle();
  const lookedUp = () => fake.calls.filter(([what]) => what === "lookUp").length;
  await expect.poll(lookedUp).toBe(3);
  for (const of of [scope, { ...scope, accountId }]) {
    const before = lookedUp();
    await make(of, 2);
    time.nowMs += 1_000;
    await settler.settle();
    await expect.poll(lookedUp).toBe(before + 2);
  }
  hung.resolve();
  await settler.idle();
  expect(await service.measureSettlementBacklog()).toMatchObject({ undecided: 0 });
});

test.each([
  [
    "a create",
    async ({ pay, scope }: Awaited<ReturnType<typeof open>>) => pay(scope, bodyWith(), request),
  ],
  [
    "a refund",
    async ({ service, scope, charged }: Awaited<ReturnType<typeof open>> & { charged: string }) =>
      service.refundPayment(scope, charged, request),
  ],
])("%s without a free slot is refused before anything is written", async (_, ask) => {
  const opened = await open();
  const { id: charged } = await opened.pay(opened.scope);
  opened.fake.isFull = true;
  await expect(ask({ ...opened, charged })).rejects.toThrow("cannot be asked");
  const { store, scope, time } = opened;
  expect(await store.findStoredResponse(scope, request.key, time.nowMs)).toBeUndefined();
  expect((await opened.service.listPayments(scope, {})).items).toHaveLength(1);
  expect(await opened.chargeOf(charged)).toMatchObject({ pendingAction: "none" });
});

test("the network makes a refund once, by its own reference of the charge", async () => {
  const { pay, scope, service, fake, find } = await open();
  const { id } = await pay(scope);
  const answer = await service.refundPayment(scope, id, request);
  expect(JSON.parse(answer.body)).toMatchObject({ status: "refunded" });
  expect(await service.refundPayment(scope, id, request)).toEqual({ ...answer, replayed: true });
  expect(fake.calls.map(([what]) => what)).toEqual(["charge", "refund"]);
  expect(fake.calls[1]?.[1].reference).toBe(`ch_${id}`);
  expect((await find(id)).status).toBe("refunded");
});

test("a refund that the network declines is refused, and the payment stays succeeded", async () => {
  const { pay, scope, service, fake, find } = await open();
  const { id } = await pay(scope);
  fake.steps.refund.push((decide) => decide(declined));
  const refund = service.refundPayment(scope, id, request);
  await expect(refund).rejects.toMatchObject({ code: "refund_declined" });
  expect((await find(id)).status).toBe("succeeded");
  await expect(service.refundPayment(scope, id, request)).rejects.toMatchObject({
    code: "refund_declined",
  });
});

test.each([
  ["lost", lost],
  ["not reached", unreached],
])(
  "a refund whose answer is %s is retried until it is made, and then answers the retried request",
  async (_, step) => {
    const { pay, scope, service, store, time, fake, settleIn, find } = await open();
    const { id } = await pay(scope);
    fake.steps.refund.push(step);
    await expect(service.refundPayment(scope, id, request)).rejects.toThrow("goes on asking");
    const stored = await store.findStoredResponse(scope, request.key, time.nowMs);
    expect(stored).toMatchObject({ response: noResponseYet, lockedUntilMs: 0 });
    await settleIn(1_000);
    expect(await find(id)).toMatchObject({ status: "refunded" });
    const answer = await service.refundPayment(scope, id, request);
    expect(JSON.parse(answer.body)).toMatchObject({ id, status: "refunded" });
    expect(await service.refundPayment(scope, id, request)).toEqual({ ...answer, replayed: true });
    expect(fake.listCharged()).toEqual([]);
  },
);

test("a refund that was requested is in progress, also while the network has no slot", async () => {
  const { pay, scope, service, fake, settleIn } = await open();
  const { id } = await pay(scope);
  fake.steps.refund.push(lost);
  await expect(service.refundPayment(scope, id, request)).rejects.toThrow("goes on asking");
  fake.isFull = true;
  const other = { ...request, key: "order-1002" };
  await expect(service.refundPayment(scope, id, other)).rejects.toThrow(RefundInProgress);
  fake.isFull = false;
  await settleIn(1_000);
  for (const each of [request, other]) {
    const answer = await service.refundPayment(scope, id, each);
    expect(JSON.parse(answer.body)).toMatchObject({ id, status: "refunded" });
    expect(await service.refundPayment(scope, id, each)).toEqual({ ...answer, replayed: true });
  }
});

test("a refund that waits for its outcome holds no slot", async () => {
  const { pay, scope, service, fake, time, settleIn, chargeOf } = await open({
    timeouts: { keyMs: 0, refundMs: 300_000 },
  });
  const { id } = await pay(scope);
  fake.steps.refund.push((decide) => decide(processing));
  const refunds = [1, 2].map(async () => service.refundPayment(scope, id));
  await expect.poll(async () => (await chargeOf(id))?.dueAtMs).toBe(time.nowMs + 60_000);
  await expect.poll(() => fake.admitted).toEqual([]);
  await settleIn(60_000);
  for (const { status } of await Promise.all(refunds)) expect(status).toBe(200);
});

type Waiting = Awaited<ReturnType<typeof open>> & Awaited<ReturnType<typeof openPage>>;

test.each([
  [
    "charge",
    "a create",
    async ({ service, scope }: Waiting) => {
      const { body } = await service.createPayment(scope, bodyWith(), request);
      return (JSON.parse(body) as { status: string }).status;
    },
    ["pending", "pending"],
  ],
  [
    "charge",
    "a page",
    async ({ service, token, state }: Waiting) => {
      await service.payPage(token, typedVisa);
      return await state();
    },
    ["processing", "paid"],
  ],
  [
    "refund",
    "a refund",
    async ({ service, scope }: Waiting, id: string) => {
      const refunded = service.refundPayment(scope, id, request);
      return await refunded.then(({ status }) => status).catch(({ name }: Error) => name);
    },
    ["Unavailable", 200],
  ],
] as const)(
  "while its %s has no answer, %s times out, and its slot stays in use",
  async (...row) => {
    const [operation, , ask, expected] = row;
    const short = { ...timeouts, networkMs: 300_000 };
    const opened = await open({ timeouts: short });
    const waiting = { ...opened, ...(await openPage(opened, opened.scope)) };
    const { fake, find } = opened;
    const paid = await opened.pay(opened.scope);
    const answered = Promise.withResolvers<void>();
    fake.steps[operation].push(late(answered.promise));
    short.networkMs = 0;
    const first = await ask(waiting, paid.id);
    expect(fake.admitted).toHaveLength(1);
    answered.resolve();
    await expect.poll(() => fake.admitted).toEqual([]);
    const id = fake.calls.at(-1)?.[1].id ?? "";
    expect((await find(id)).status).toBe(operation === "refund" ? "refunded" : "succeeded");
    expect([first, await ask(waiting, paid.id)]).toEqual(expected);
  },
);

test("a create waits 10 s for the network, and is then answered as pending", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { service, scope, fake } = await open();
  const reached = Promise.withResolvers<void>();
  fake.steps.charge.push(async () => new Promise(() => reached.resolve()));
  const expected: string[] = [];
  const created = service.createPayment(scope, bodyWith()).then(({ body }) => expected.push(body));
  await reached.promise;
  await vi.advanceTimersByTimeAsync(9_999);
  expect(expected).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await created;
  expect(expected).toEqual([expect.stringContaining('"status":"pending"')]);
});

test("a create that times out has the same response as its replay, also where the network answers at that moment", async () => {
  const store = await openNewStore();
  const answered = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const updateCharge: Store["updateCharge"] = async (move) => {
    const moved = await store.updateCharge(move);
    written.resolve();
    return moved;
  };
  const releaseLock: Store["releaseLock"] = async (...of) => {
    answered.resolve();
    await written.promise;
    return store.releaseLock(...of);
  };
  const opened = await open({
    store: { ...store, updateCharge, releaseLock },
    timeouts: { ...timeouts, networkMs: 0 },
  });
  opened.fake.steps.charge.push(late(answered.promise));
  const create = async () => opened.service.createPayment(opened.scope, bodyWith(), request);
  const first = await create();
  expect(await create()).toEqual({ ...first, replayed: true });
});

test("two concurrent refunds move money once, and both are answered as refunded", async () => {
  const { pay, scope, service, fake } = await open({ timeouts: { keyMs: 0, refundMs: 5_000 } });
  const { id } = await pay(scope);
  const both = await Promise.all([1, 2].map(async () => service.refundPayment(scope, id)));
  for (const { body } of both) expect(JSON.parse(body)).toMatchObject({ id, status: "refunded" });
  expect(fake.calls.filter(([what]) => what === "refund")).toHaveLength(1);
});

test("a simulated payment is refunded without a network, a charged one only by its own network", async () => {
  const store = await openNewStore();
  const here = await openTestService({ store });
  const simulated = await here.pay(here.live);
  const there = await open({ store });
  const { id } = await there.pay(there.scope);
  await there.service.refundPayment(there.scope, simulated.id);
  expect(there.fake.calls.map(([what]) => what)).toEqual(["charge"]);
  await expect(here.service.refundPayment(here.live, id)).rejects.toThrow("another card network");
  expect(there.fake.listCharged()).toEqual([id]);
});

test("a network is never called about the charges of another one", async () => {
  const store = await openNewStore();
  const there = await open({ store });
  there.fake.steps.charge.push(lost);
  const undecided = await there.pay(there.scope);
  const [refunding, charged] = [await there.pay(there.scope), await there.pay(there.scope)];
  there.fake.steps.refund.push(unreached);
  const refunded = there.service.refundPayment(there.scope, refunding.id);
  await expect(refunded).rejects.toThrow("goes on asking");
  const { token, created } = await openPage(there, there.scope);
  there.fake.steps.charge.push(lost);
  await there.service.payPage(token, typedVisa);

  const here = await open({ store }, fakeNetwork("stripe"));
  here.time.nowMs += 40_000;
  await here.service.cancelPage(token);
  await here.settleIn(1_000);
  const refund = here.service.refundPayment(here.scope, charged.id, request);
  await expect(refund).rejects.toThrow("nothing was refunded. A service that is started");
  await expect(refund).rejects.toThrow(there.fake.network.name);
  const again = here.service.refundPayment(here.scope, refunding.id);
  await expect(again).rejects.toThrow("it is not known whether it was made");
  expect(here.fake.calls).toEqual([]);
  expect(await here.service.measureSettlementBacklog()).toMatchObject({
    undecided: 3,
    elsewhere: 3,
  });
  expect((await here.find(undecided.id)).status).toBe("pending");

  there.time.nowMs = here.time.nowMs;
  await there.settleIn(1_000);
  expect(await here.service.measureSettlementBacklog()).toMatchObject({
    undecided: 0,
    elsewhere: 0,
  });
  const statuses = [undecided, refunding, charged, created].map(({ id }) => there.find(id));
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([
    "succeeded",
    "refunded",
    "succeeded",
    "failed",
  ]);
  expect(there.fake.listCharged().toSorted()).toEqual([undecided.id, charged.id].toSorted());
});

test("a service without a network leaves that network's charges pending", async () => {
  const store = await openNewStore();
  const there = await open({ store });
  there.fake.steps.charge.push(lost);
  const { id } = await there.pay(there.scope);
  const here = await openTestService({ store });
  here.time.nowMs += 60_000;
  await here.settleCharges();
  expect((await there.find(id)).status).toBe("pending");
});

test("of two customers on one page only the first is charged", async () => {
  const opened = await open();
  const { token, created } = await openPage(opened, opened.scope);
  const other = { ...typedVisa, number: "5555 5555 5555 4444" };
  await Promise.all([typedVisa, other].map(async (typed) => opened.service.payPage(token, typed)));
  expect(opened.fake.calls.map(([what, { id }]) => [what, id])).toEqual([["charge", created.id]]);
});

test("a page can be canceled after 30 s without an answer, and a late approval is then refunded", async () => {
  const opened = await open();
  const { service, scope, fake, time, settleIn, find, chargeOf } = opened;
  const { token, created, state } = await openPage(opened, scope);
  fake.steps.charge.push(lost);
  fake.steps.lookUp.push(unreached, unreached, unreached, unreached, unreached, unreached);
  await service.payPage(token, typedVisa);
  expect(await state()).toBe("processing");
  await service.payPage(token, typedVisa);
  time.nowMs += 29_999;
  await service.cancelPage(token);
  expect((await find(created.id)).status).toBe("pending");
  expect(await state()).toBe("processing");
  time.nowMs += 1;
  expect(await state()).toBe("overdue");
  await service.cancelPage(token);
  expect(await state()).toBe("canceled");
  expect(await chargeOf(created.id)).toMatchObject({ pendingAction: "none" });
  await settleIn(1);
  expect(fake.listCharged()).toEqual([]);
  expect(fake.calls.filter(([what]) => what === "charge")).toHaveLength(1);
  expect(await find(created.id)).toMatchObject({ decline_code: "customer_canceled" });
});

test.each([
  [typedVisa, "paid", "succeeded"],
  [{ ...typedVisa, number: "4000 0000 0000 0002" }, "declined", "failed"],
])("a page shows the network's decision: $number", async (typed, pageState, status) => {
  const opened = await open();
  const { token, created, state } = await openPage(opened, opened.scope);
  await opened.service.payPage(token, typed);
  expect([await state(), (await opened.find(created.id)).status]).toEqual([pageState, status]);
  await opened.settleIn(60_001); // its page does not expire
  expect((await opened.find(created.id)).status).toBe(status);
});
