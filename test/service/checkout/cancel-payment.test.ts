import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import {
  type TestService,
  createGate,
  declined,
  hppExpiryMs,
  openPage,
  openTestService,
  startSeconds,
  typedVisa,
} from "../../testkit/service/open-test-service.ts";

const request = { key: "order-1001", fingerprint: "f" };
const refused = { name: "ServiceError", code: "payment_not_cancelable" };

describe("a payment that its merchant cancels", () => {
  test("fails as canceled, with its event, and its page says so", async () => {
    const opened = await openTestService();
    const { service, time, test: scope } = opened;
    const { token, created, payment } = await openPage(opened, scope);
    time.nowMs += 7_000;
    const answer = await service.cancelPayment(scope, created.id);
    const canceled: Payment = {
      ...created,
      status: "failed",
      decline_code: "canceled",
      decline_message: "The merchant canceled the payment.",
      failed_at: startSeconds + 7,
    };
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, canceled]);
    expect(await payment()).toEqual(canceled);
    const [event] = (await service.listEvents(scope, { payment: created.id })).items;
    expect(JSON.parse(event ?? "") as Event).toMatchObject({
      type: "payment.failed",
      data: { object: canceled },
    });
    const declineCode = "canceled";
    expect(await service.findPage(token)).toMatchObject({ state: "canceled", declineCode });
  });

  test("is canceled by one of fifty requests without a key", async () => {
    const opened = await openTestService();
    const { created } = await openPage(opened, opened.test);
    const requests = Array.from({ length: 50 }, async () =>
      opened.service.cancelPayment(opened.test, created.id),
    );
    const ended = await Promise.allSettled(requests);
    const refusals = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(refusals).toHaveLength(49);
    for (const refusal of refusals) expect(refusal).toMatchObject(refused);
    const { items } = await opened.service.listEvents(opened.test, { payment: created.id });
    expect(items).toHaveLength(2);
  });

  test("is canceled once by a request that is repeated with its key", async () => {
    const opened = await openTestService();
    const { created } = await openPage(opened, opened.test);
    const cancel = async (more = request) =>
      opened.service.cancelPayment(opened.test, created.id, more);
    const answers = await Promise.all([cancel(), cancel(), cancel()]);
    answers.push(await cancel());
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed)).toHaveLength(3);
    const other = { ...request, fingerprint: "g" };
    await expect(cancel(other)).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });
});

type Case = (opened: TestService) => Promise<string>;
const paidWith =
  (number: string): Case =>
  async (opened) => {
    const { token, created } = await openPage(opened, opened.test);
    await opened.service.payPage(token, { ...typedVisa, number });
    return created.id;
  };

test.each<[string, Case]>([
  ["without a page", async ({ pay, test: scope }) => (await pay(scope, declined)).id],
  ["that was paid on its page", paidWith("4242424242424242")],
  ["whose card is being declined", paidWith("4000000000000002")],
  [
    "whose page has expired",
    async (opened) => {
      const { created } = await openPage(opened, opened.test);
      opened.time.nowMs += hppExpiryMs;
      return created.id;
    },
  ],
  [
    "that its customer has canceled",
    async (opened) => {
      const { created, token } = await openPage(opened, opened.test);
      await opened.service.cancelPage(token);
      return created.id;
    },
  ],
])("a payment %s is not canceled", async (_, make) => {
  const opened = await openTestService();
  const { service, test: scope, live } = opened;
  const id = await make(opened);
  const before = await service.getPayment(scope, id);
  for (const more of [undefined, request])
    await expect(service.cancelPayment(scope, id, more)).rejects.toMatchObject(refused);
  expect(await service.getPayment(scope, id)).toBe(before);
  await expect(service.cancelPayment(live, id)).rejects.toMatchObject({ code: "resource_missing" });
});

async function openPaying() {
  const fake = fakeNetwork();
  const outcomes: string[] = [];
  const opened = await openTestService({
    networkOf: fake.networkOf,
    observeChallenge: (outcome) => outcomes.push(outcome),
    timeouts: { networkMs: 0 },
  });
  const page = await openPage(opened, opened.live);
  const cancel = async () => opened.service.cancelPayment(opened.live, page.created.id);
  return { ...opened, ...page, fake, outcomes, cancel };
}

describe("while the network is asked about the card of a page", () => {
  test("the charge is canceled where the bank asks the customer, and the payment keeps its code", async () => {
    const { service, fake, outcomes, cancel, token, payment, settleCharges } = await openPaying();
    const url = "https://bank.test/confirm";
    fake.steps.charge.push(async () => ({
      outcome: "action",
      reference: "ch_1",
      url,
      retryAfterMs: 1_000,
    }));
    await service.payPage(token, typedVisa);
    await cancel();
    expect(await payment()).toMatchObject({ status: "failed", decline_code: "canceled" });
    await settleCharges();
    expect(fake.calls.map(([what]) => what)).toEqual(["charge", "cancel"]);
    expect(await payment()).toMatchObject({ decline_code: "canceled" });
    expect(outcomes).toEqual(["begun", "canceled"]);
  });

  test("it is refused for 30 s; a charge that is approved later is given back", async () => {
    const { service, time, fake, cancel, token, payment, settleCharges } = await openPaying();
    const { opened: answers, open: answer } = createGate();
    fake.steps.charge.push(async (decide) => {
      await answers;
      return decide();
    });
    const paying = service.payPage(token, typedVisa);
    await expect.poll(() => fake.calls.length).toBe(1);
    await expect(cancel()).rejects.toMatchObject(refused);
    time.nowMs += 30_000;
    await cancel();
    answer();
    await paying;
    await settleCharges();
    expect(await payment()).toMatchObject({ status: "failed", decline_code: "canceled" });
    expect(fake.calls.map(([what]) => what)).toContain("cancel");
  });
});
