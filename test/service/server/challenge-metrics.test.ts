import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ChallengeOutcome } from "../../../src/service/payments/payments-store.ts";
import { createMetrics } from "../../../src/service/server/metrics.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { action, openAppWithBank, openAppWithCustomer, visa } from "../../testkit/app/customer.ts";
import { listening, requestJson } from "../../testkit/client/running-service.ts";

const approved = { outcome: "approved", reference: action.reference } as const;
const refused = { outcome: "declined", code: "authentication_required" } as const;
const hourMs = 60 * 60 * 1_000;
const asking = { ...visa, number: "4000002760003184" };

type Counts = Partial<Record<ChallengeOutcome, number>>;
/** All five outcomes, 0 unless given. */
const countsWith = (counts: Counts): Counts => ({
  begun: 0,
  approved: 0,
  declined: 0,
  abandoned: 0,
  canceled: 0,
  ...counts,
});

function parseCounts(text: string): Counts {
  const lines = text.matchAll(/^payments_challenges_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, outcome, count]) => [outcome, Number(count)]));
}

/** Metrics of challenges, for an app. */
function watch() {
  const metrics = createMetrics({ version: "1.2.3" });
  return {
    observeChallenge: metrics.challenge,
    count: async () => parseCounts((await metrics.read()).text),
  };
}

async function openWatched(hppExpiryMs = 24 * hourMs) {
  const { observeChallenge, count } = watch();
  return { ...(await openAppWithBank({ observeChallenge, hppExpiryMs })), count };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] })); // tests advance the time
afterEach(() => void vi.useRealTimers());

describe("a challenge is counted once when it begins, and once as", () => {
  test("approved, even if the customer comes back twice", async () => {
    const { sendToBank, comeBack, visit, count } = await openWatched();
    const { path, payment } = await sendToBank();
    await comeBack(path, action);
    expect(await count()).toEqual(countsWith({ begun: 1 }));
    vi.advanceTimersByTime(1_000);
    await comeBack(path, approved);
    await visit(`${path}/return`);
    expect(await payment()).toMatchObject({ status: "succeeded" });
    expect(await count()).toEqual(countsWith({ begun: 1, approved: 1 }));
  });

  test("declined, if the bank declines the payment afterwards", async () => {
    const { sendToBank, comeBack, visit, count } = await openWatched();
    const { path, payment } = await sendToBank();
    await comeBack(path, refused);
    await visit(`${path}/return`);
    expect(await payment()).toMatchObject({ decline_code: "authentication_required" });
    expect(await count()).toEqual(countsWith({ begun: 1, declined: 1 }));
  });

  test("canceled, if the customer cancels meanwhile", async () => {
    const { sendToBank, submit, settleCharges, fake, count } = await openWatched();
    const { path, payment } = await sendToBank();
    await submit(`${path}/cancel`);
    await submit(`${path}/cancel`);
    await settleCharges();
    expect(await payment()).toMatchObject({ decline_code: "customer_canceled" });
    expect(fake.calls.at(-1)?.[0]).toBe("cancel");
    expect(await count()).toEqual(countsWith({ begun: 1, canceled: 1 }));
  });

  test("abandoned, if the customer has not confirmed after an hour", async () => {
    const { sendToBank, comeBack, settleCharges, fake, count } = await openWatched();
    const { path, payment } = await sendToBank();
    vi.advanceTimersByTime(hourMs);
    await comeBack(path, action);
    await settleCharges();
    expect(await payment()).toMatchObject({ decline_code: "authentication_required" });
    expect(fake.calls.at(-1)?.[0]).toBe("cancel");
    expect(await count()).toEqual(countsWith({ begun: 1, abandoned: 1 }));
  });

  test("abandoned, if the page expires meanwhile", async () => {
    const { sendToBank, settleCharges, service, fake, count } = await openWatched(hourMs / 2);
    const { payment } = await sendToBank();
    vi.advanceTimersByTime(hourMs / 2);
    await service.settlePayments();
    await service.settlePayments();
    await settleCharges();
    expect(await payment()).toMatchObject({ decline_code: "hpp_expired" });
    expect(fake.calls.at(-1)?.[0]).toBe("cancel");
    expect(await count()).toEqual(countsWith({ begun: 1, abandoned: 1 }));
  });
});

test("a challenge that the network names only when it is looked up is counted, too", async () => {
  const { create, submit, comeBack, settleCharges, fake, count } = await openWatched();
  const { path } = await create();
  fake.steps.charge.push(() => ({ outcome: "unknown", reason: "no answer" }));
  await submit(path, visa);
  expect(await count()).toEqual(countsWith({}));
  vi.advanceTimersByTime(60_000);
  fake.steps.lookUp.push(() => action);
  await settleCharges();
  expect(await count()).toEqual(countsWith({ begun: 1 }));
  await comeBack(path, approved);
  expect(await count()).toEqual(countsWith({ begun: 1, approved: 1 }));
});

test("a payment without a challenge is not counted, however it ends", async () => {
  const { create, submit, call, service, settleCharges, count } = await openWatched(hourMs);
  const cancel = async ({ path }: { path: string }) => submit(`${path}/cancel`);
  await submit((await create()).path, visa);
  await submit((await create()).path, { ...visa, number: "4000000000000002" });
  await cancel(await create());
  await create(); // expires
  await call({ method: "POST", body: bodyWith({}) });
  await call({ method: "POST", body: bodyWith({ card: cardWith({ number: asking.number }) }) });
  vi.advanceTimersByTime(hourMs);
  await service.settlePayments();
  await settleCharges();
  expect(await count()).toEqual(countsWith({}));
});

test.each([
  ["approve", "approved"],
  ["decline", "declined"],
])("the simulator's challenge is counted: %s", async (decision, outcome) => {
  const { observeChallenge, count } = watch();
  const { create, submit, call } = await openAppWithCustomer({ observeChallenge });
  await call({ method: "POST", body: bodyWith({ card: cardWith({ number: asking.number }) }) });
  expect(await count()).toEqual(countsWith({}));
  const { path } = await create();
  await Promise.all([submit(path, asking), submit(path, asking)]);
  expect(await count()).toEqual(countsWith({ begun: 1 }));
  await submit(`${path}/challenge`, { decision });
  await submit(`${path}/challenge`, { decision });
  expect(await count()).toEqual(countsWith({ begun: 1, [outcome]: 1 }));
});

test("a running service has the metric, all outcomes from the start", async () => {
  vi.useRealTimers();
  const server = await listening();
  const count = async () => parseCounts(await (await fetch(`${server.url}/metrics`)).text());
  expect(await count()).toEqual(countsWith({}));
  const { redirect_url: page } = await requestJson(server, "/v1/payments/hpp", {
    amount: 4999,
    currency: "eur",
  });
  const body = new URLSearchParams(asking);
  await fetch(page ?? "", { method: "POST", body, redirect: "manual" });
  expect(await count()).toEqual(countsWith({ begun: 1 }));
});
