import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type {
  UpdateEndpointBody,
  WebhookEndpoint,
} from "../../../src/contract/webhook-endpoint.ts";
import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { Adapters } from "../../../src/service/service.ts";
import type { SendOutcome, Webhook } from "../../../src/service/webhooks/webhooks-service.ts";
import { queuedDelivery } from "../../testkit/database/records.ts";
import {
  createGate,
  openStoreWith,
  openTestService,
  startMs,
} from "../../testkit/service/open-test-service.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const leaseMs = 20_000;
const url = "https://shop.example/hooks";
const slowUrl = "https://shop.example/slow";

const success = { outcome: "delivered", status: 204, error: null, answer: "" } as const;
const failure = {
  outcome: "failed",
  status: 500,
  error: "It answered 500.",
  answer: "Sorry.",
} as const;
const gone = { ...failure, status: 410, isGone: true } as const;

type Answer = (webhook: Webhook) => SendOutcome | Promise<SendOutcome>;

/** A service with a clock that the test sets, and a worker with a sender whose answers the test decides. */
async function openWorker(answer: Answer, adapters: Partial<Adapters> = {}) {
  const opened = await openTestService(adapters);
  const { service, test: scope } = opened;
  const sent: Webhook[] = [];
  const observed: unknown[] = [];
  const wake = vi.fn<() => void>();
  const send = async (webhook: Webhook) => {
    sent.push(webhook);
    return await answer(webhook);
  };
  const worker = service.createWebhookWorker({
    sender: { send, close: async () => {} },
    observe: {
      attempted: (outcome) => observed.push(outcome),
      disabled: (_, endpointId, reason) => observed.push([endpointId, reason]),
      broken: (error) => observed.push(error),
    },
    wake,
  });
  const listDeliveries = async ({ id }: { id: string }, of = scope) =>
    (await service.listDeliveries(of, id, { limit: 100 })).items;
  return {
    ...opened,
    scope,
    worker,
    sent,
    observed,
    wake,
    listDeliveries,
    /** Delivers until no delivery is in progress. */
    deliver: async () => {
      await worker.deliver();
      await worker.idle();
    },
    addEndpoint: async (endpointUrl = url, of = scope) => {
      const { body } = await service.createEndpoint(of, { url: endpointUrl });
      return JSON.parse(body) as WebhookEndpoint;
    },
    payTimes: async (times: number, of: Scope = scope) => {
      for (let i = 0; i < times; i++) await opened.pay(of);
    },
    /** How many deliveries of an endpoint are in each status. */
    countStatuses: async (endpoint: { id: string }, of = scope) => {
      const counts: Record<string, number> = {};
      for (const { status } of await listDeliveries(endpoint, of))
        counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },
    listDisabled: () => observed.filter((each) => Array.isArray(each)),
  };
}

describe("a due webhook", () => {
  test("is sent once, with the event's JSON and the endpoint's secret", async () => {
    const t = await openWorker(() => success);
    const endpoint = await t.addEndpoint();
    await t.payTimes(1);
    await t.deliver();
    const [event = ""] = (await t.service.listEvents(t.scope, {})).items;
    expect(t.sent).toEqual([
      {
        url,
        secrets: [endpoint.secret],
        eventId: (JSON.parse(event) as { id: string }).id,
        body: event,
        nowMs: startMs,
        allowHttp: true,
      },
    ]);
    const ended = { attempts: 1, next_attempt_at: null, last_status: 204, last_error: null };
    expect(await t.listDeliveries(endpoint)).toMatchObject([{ status: "delivered", ...ended }]);
    expect(t.observed).toEqual(["delivered"]);
    await t.deliver();
    expect(t.sent).toHaveLength(1);
  });

  test.each([
    ["test", false, true],
    ["live", false, false],
    ["live", true, true],
  ] as const)(
    "in %s mode, private addresses allowed: %s, may go over plain http: %s",
    async (mode, allowsPrivate, allowHttp) => {
      const webhooks = { schedule: webhookSchedule, eventRetentionMs: dayMs, allowsPrivate };
      const t = await openWorker(() => success, { webhooks });
      await t.addEndpoint(url, t[mode]);
      await t.payTimes(1, t[mode]);
      await t.deliver();
      expect(t.sent).toMatchObject([{ allowHttp }]);
    },
  );

  test("is also signed with the old secret until the overlap ends", async () => {
    const t = await openWorker(() => success);
    const { id, secret } = await t.addEndpoint();
    const roll = async (overlap_hours: number) => {
      const rolled = await t.service.rollEndpoint(t.scope, { id, body: { overlap_hours } });
      return (JSON.parse(rolled.body) as WebhookEndpoint).secret;
    };
    const deliverAfter = async (ms: number) => {
      t.time.nowMs += ms;
      await t.payTimes(1);
      await t.deliver();
      return t.sent.at(-1)?.secrets;
    };
    const second = await roll(2);
    expect(await deliverAfter(0)).toEqual([second, secret]);
    expect(await deliverAfter(2 * hourMs - 1)).toEqual([second, secret]);
    expect(await deliverAfter(1)).toEqual([second]);
    const third = await roll(0);
    expect(await deliverAfter(0)).toEqual([third]);
  });
});

describe("a webhook that fails", () => {
  test("is retried by the schedule with a jitter of a tenth, and then fails", async () => {
    const t = await openWorker(() => failure);
    const endpoint = await t.addEndpoint();
    await t.payTimes(1);
    const answered = { last_status: 500, last_error: "It answered 500." };
    for (const [attempt, stepMs] of webhookSchedule.slice(1).entries()) {
      await t.deliver();
      const [delivery] = await t.listDeliveries(endpoint);
      expect(delivery).toMatchObject({ status: "pending", attempts: attempt + 1, ...answered });
      const nextMs = (delivery?.next_attempt_at ?? 0) * 1000;
      expect(nextMs - t.time.nowMs).toBeGreaterThanOrEqual(stepMs * 0.9 - 1_000);
      expect(nextMs - t.time.nowMs).toBeLessThanOrEqual(stepMs * 1.1);
      t.time.nowMs = nextMs - 1;
      await t.deliver();
      expect(t.sent).toHaveLength(attempt + 1);
      t.time.nowMs += 1_001;
    }
    await t.deliver();
    const last = { status: "failed", attempts: 10, next_attempt_at: null, ...answered };
    expect(await t.listDeliveries(endpoint)).toMatchObject([last]);
    expect(t.observed).toEqual([...Array<string>(9).fill("retried"), "failed"]);
  });

  test("waits for a longer Retry-After", async () => {
    const retryAfterMs = 6 * hourMs;
    const t = await openWorker(() => ({ ...failure, status: 503, retryAfterMs }));
    const endpoint = await t.addEndpoint();
    await t.payTimes(1);
    await t.deliver();
    const next_attempt_at = (t.time.nowMs + retryAfterMs) / 1000;
    expect(await t.listDeliveries(endpoint)).toMatchObject([{ next_attempt_at }]);
  });

  test("with 410 disables its endpoint, and its pending deliveries fail", async () => {
    const t = await openWorker((webhook) => (webhook.url === slowUrl ? gone : success));
    const endpoint = await t.addEndpoint(slowUrl);
    const other = await t.addEndpoint();
    await t.payTimes(6);
    await t.deliver();
    const disabled = { status: "disabled", disabled_reason: "gone" };
    expect(await t.service.getEndpoint(t.scope, endpoint.id)).toMatchObject(disabled);
    expect(await t.countStatuses(endpoint)).toEqual({ failed: 6 });
    expect(await t.countStatuses(other)).toEqual({ delivered: 6 });
    // Four attempts ran at once, and one of them disabled the endpoint.
    expect(t.listDisabled()).toEqual([[endpoint.id, "gone"]]);
  });

  test("for five days without any success disables its endpoint", async () => {
    let outcome: SendOutcome = failure;
    const t = await openWorker(() => outcome);
    const { id } = await t.addEndpoint();
    const readReasonAfter = async (ms: number, next: SendOutcome = failure) => {
      t.time.nowMs += ms;
      outcome = next;
      await t.payTimes(1);
      await t.deliver();
      return (await t.service.getEndpoint(t.scope, id)).disabled_reason;
    };
    expect(await readReasonAfter(0)).toBeNull();
    expect(await readReasonAfter(4 * dayMs, success)).toBeNull();
    expect(await readReasonAfter(dayMs)).toBeNull();
    expect(await readReasonAfter(5 * dayMs - 1)).toBeNull();
    expect(await readReasonAfter(1)).toBe("failing");
    expect(t.listDisabled()).toEqual([[id, "failing"]]);
  });

  test("does not count against its endpoint if a concurrent attempt succeeds later", async () => {
    const gate = createGate();
    const t = await openWorker(async () => {
      if (t.sent.length === 1) return failure;
      await gate.opened;
      return success;
    });
    const { id } = await t.addEndpoint();
    await t.payTimes(2);
    await t.worker.deliver();
    const failingSince = async () => (await t.store.findEndpoint(t.scope, id))?.failingSinceMs;
    await expect.poll(failingSince).toBe(startMs);
    await expect.poll(() => t.sent).toHaveLength(2);
    gate.open();
    await t.worker.idle();
    expect(t.observed).toEqual(["retried", "delivered"]);
    expect(await failingSince()).toBeNull();
  });

  /** An endpoint that has failed for five days, and an attempt under way that ends with `outcome` at `gate.open`. */
  async function openAfterFiveDays(outcome: SendOutcome) {
    const gate = createGate();
    let answer: Promise<SendOutcome> | SendOutcome = failure;
    const t = await openWorker(() => answer);
    const { id } = await t.addEndpoint();
    await t.payTimes(1);
    await t.deliver();
    t.time.nowMs += 5 * dayMs;
    answer = gate.opened.then(() => outcome);
    await t.payTimes(1);
    await t.worker.deliver();
    await expect.poll(() => t.sent).toHaveLength(2);
    answer = success;
    return { t, id, gate };
  }

  const moved = { url: "https://shop.example/moved" };
  test.each<[string, SendOutcome, UpdateEndpointBody[]]>([
    ["gone, and gets another address", gone, [moved]],
    ["gone, and is enabled again", gone, [{ status: "disabled" }, { status: "enabled" }]],
    ["failing for days, and gets another address", failure, [moved]],
  ])("leaves an endpoint enabled that is %s during the attempt", async (_, outcome, changes) => {
    const { t, id, gate } = await openAfterFiveDays(outcome);
    for (const body of changes) await t.service.updateEndpoint(t.scope, { id, body });
    await t.payTimes(1);
    gate.open();
    await t.worker.idle();
    await t.deliver();
    expect((await t.service.getEndpoint(t.scope, id)).status).toBe("enabled");
    expect(t.listDisabled()).toEqual([]);
    expect((await t.listDeliveries({ id }))[0]?.status).toBe("delivered");
  });

  test("leaves an endpoint enabled where another process has delivered meanwhile", async () => {
    const { t, id, gate } = await openAfterFiveDays(failure);
    const { nowMs } = t.time;
    const due = { nowMs, untilMs: nowMs + 1_000, limit: 1 };
    const [delivery] = await t.store.leaseDeliveries(t.scope, id, due);
    if (!delivery) throw new Error("No delivery is left.");
    const result = {
      delivery,
      status: "delivered",
      dueAtMs: null,
      lastStatus: 200,
      lastError: null,
      tries: [],
      endedMs: nowMs,
    } as const;
    await t.store.writeAttempts({ scope: t.scope, endpointId: id, results: [result] });
    gate.open();
    await t.worker.idle();
    expect((await t.service.getEndpoint(t.scope, id)).status).toBe("enabled");
  });

  test("because its event was purged does not count against its endpoint", async () => {
    const t = await openWorker(() => success);
    const { id } = await t.addEndpoint();
    const delivery = queuedDelivery(id, "evt_purged", startMs);
    const write = { scope: t.scope, deliveries: [delivery], idempotency: undefined };
    await t.store.queueDeliveries(write);
    await t.deliver();
    expect(t.sent).toEqual([]);
    const failed = { status: "failed", last_error: "The event has expired." };
    expect(await t.listDeliveries({ id })).toMatchObject([failed]);
    expect((await t.store.findEndpoint(t.scope, id))?.failingSinceMs).toBeNull();
  });
});

/** A worker whose webhooks wait until the test answers the oldest of them. */
async function openAnswered() {
  const waiting: { to: string; answer: (outcome: SendOutcome) => void }[] = [];
  const t = await openWorker(
    async ({ url: to }) => new Promise((answer) => waiting.push({ to, answer })),
  );
  const countWaiting = (to = url) => waiting.filter((each) => each.to === to).length;
  const answerNext = (outcome: SendOutcome, to = url) => {
    const next = waiting.findIndex((each) => each.to === to);
    if (next >= 0) waiting.splice(next, 1)[0]?.answer(outcome);
    return next >= 0;
  };
  return {
    ...t,
    answerNext,
    /** Answers so many, the oldest first, as they come. */
    answerTimes: async (times: number, outcome: SendOutcome) => {
      for (let i = 0; i < times; i++) await expect.poll(() => answerNext(outcome)).toBe(true);
    },
    /** Waits until so many are in progress, and no more are begun. */
    expectInProgress: async (count: number, to?: string) => {
      await expect.poll(() => countWaiting(to)).toBe(count);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      expect(countWaiting(to)).toBe(count);
    },
  };
}

describe("concurrent deliveries", () => {
  test("are at most four to an endpoint, and one that does not answer delays no other endpoint", async () => {
    const gate = createGate();
    const t = await openWorker(async (webhook) => {
      if (webhook.url === slowUrl) await gate.opened;
      return success;
    });
    await t.addEndpoint(slowUrl);
    const quick = await t.addEndpoint();
    await t.payTimes(10);
    await t.worker.deliver();
    await expect.poll(async () => t.countStatuses(quick)).toEqual({ delivered: 10 });
    await t.worker.deliver();
    const toSlow = () => t.sent.filter((webhook) => webhook.url === slowUrl);
    expect(toSlow()).toHaveLength(4);
    gate.open();
    await t.worker.idle();
    expect(toSlow()).toHaveLength(10);
  });

  test.each([
    ["only as many as a slow endpoint takes at once", 1_500, 1, [4, 8]],
    ["64 together for a quick one", 20, 1, [64, 64]],
    ["32 together for each of 32, which bounds the memory", 0, 32, [32, 32]],
  ])("are leased %s", async (_, tookMs, endpoints, [min = 0, max = min]) => {
    const limits: number[] = [];
    const store = await openStoreWith((real) => ({
      leaseDeliveries: async (of, endpointId, due) => {
        limits.push(due.limit);
        return await real.leaseDeliveries(of, endpointId, due);
      },
    }));
    const answer = () => {
      t.time.nowMs += tookMs;
      return success;
    };
    const t = await openWorker(answer, { store });
    for (let at = 0; at < endpoints; at++) await t.addEndpoint(url, at < 16 ? t.scope : t.live);
    await t.payTimes(20);
    if (endpoints > 16) await t.payTimes(20, t.live);
    await t.deliver();
    // Where one has nothing more, the others may have more together.
    const whileAllHaveSome = limits.slice(0, endpoints > 1 ? 2 * endpoints : undefined);
    expect(Math.max(...whileAllHaveSome)).toBeGreaterThanOrEqual(min);
    expect(Math.max(...whileAllHaveSome)).toBeLessThanOrEqual(max);
  });

  test("are one more to an endpoint that has accepted eight while more wait, and half after a failure", async () => {
    const t = await openAnswered();
    await t.addEndpoint();
    await t.addEndpoint(slowUrl);
    await t.payTimes(40);
    await t.worker.deliver();
    for (const expected of [4, 5, 6]) {
      await t.expectInProgress(expected);
      await t.answerTimes(8, success);
    }
    await t.expectInProgress(7);
    await t.expectInProgress(4, slowUrl);
    t.answerNext(failure);
    for (const expected of [6, 5, 4, 3]) {
      await t.expectInProgress(expected);
      t.answerNext(success);
    }
    await t.expectInProgress(3);
    await expect.poll(() => t.observed).toHaveLength(3 * 8 + 5);
  });

  test("are one to an endpoint that has failed three times in a row, until it succeeds", async () => {
    const t = await openAnswered();
    const endpoint = await t.addEndpoint();
    await t.payTimes(12);
    await t.worker.deliver();
    for (const expected of [4, 3, 2, 1]) {
      await t.expectInProgress(expected);
      t.answerNext(failure);
    }
    await t.expectInProgress(1);
    await t.answerTimes(8, success);
    await t.worker.idle();
    expect(await t.countStatuses(endpoint)).toEqual({ pending: 4, delivered: 8 });
  });

  test("are one at first to an endpoint that has failed, and four after it has recovered", async () => {
    const t = await openAnswered();
    await t.addEndpoint();
    await t.payTimes(1);
    await t.worker.deliver();
    await t.expectInProgress(1);
    t.answerNext(failure);
    await t.worker.idle();
    await t.payTimes(6);
    await t.worker.deliver();
    await t.expectInProgress(1);
    t.answerNext(success);
    await t.expectInProgress(4);
    await expect.poll(() => t.observed).toEqual(["retried", "delivered"]);
  });

  test("continue while one attempt is not answered, and so do later ones", async () => {
    const gate = createGate();
    const t = await openWorker(async () => {
      if (t.sent.length === 1) await gate.opened;
      return success;
    });
    const endpoint = await t.addEndpoint();
    const countDelivered = async () => {
      await t.worker.deliver();
      return (await t.countStatuses(endpoint))["delivered"];
    };
    await t.payTimes(10);
    await expect.poll(countDelivered).toBe(9);
    await t.payTimes(1);
    await expect.poll(countDelivered).toBe(10);
    gate.open();
    await t.worker.idle();
    expect(await countDelivered()).toBe(11);
  });

  test("are at most 64, and fewer of one account, so that other accounts are not delayed", async () => {
    const gate = createGate();
    const t = await openWorker(async (webhook) => {
      if (webhook.url === slowUrl) await gate.opened;
      return success;
    });
    const openAccount = async () => {
      const { id } = await t.service.createAccount({ name: "Books" });
      return { accountId: id, livemode: false };
    };
    const addSlow = async (of: Scope) => {
      for (let i = 0; i < 16; i++) await t.addEndpoint(slowUrl, of);
      await t.payTimes(4, of);
    };
    const expectInProgress = async (count: number) => {
      await t.worker.deliver();
      await expect.poll(() => t.sent).toHaveLength(count);
      await t.worker.deliver();
      await nextTurn();
      expect(t.sent).toHaveLength(count);
    };
    await addSlow(t.scope);
    await expectInProgress(48);
    const other = await openAccount();
    const quick = await t.addEndpoint(url, other);
    await t.payTimes(10, other);
    await t.worker.deliver();
    await expect.poll(async () => t.countStatuses(quick, other)).toEqual({ delivered: 10 });
    for (let i = 0; i < 3; i++) await addSlow(await openAccount());
    await expectInProgress(10 + 64);
    gate.open();
    await t.worker.idle();
    await t.deliver();
    const all = 10 + 4 * 16 * 4;
    expect(new Set(t.sent.map(({ secrets, eventId }) => `${secrets[0]} ${eventId}`)).size).toBe(
      all,
    );
    expect(t.sent).toHaveLength(all);
  });
});

/** Six webhooks that were leased together; four of them are in progress until `finish` is called. */
async function openInProgress(answer: SendOutcome = success) {
  const gate = createGate();
  const before = 4;
  const t = await openWorker(async () => {
    if (t.sent.length <= before) return success; // quick attempts, so that the next ones are leased together
    await gate.opened;
    return answer;
  });
  const endpoint = await t.addEndpoint();
  await t.payTimes(before + 6);
  await t.worker.deliver();
  await expect.poll(() => t.sent).toHaveLength(before + 4);
  t.observed.length = 0;
  /** Answers, and returns those of the six that were sent. */
  const finish = async () => {
    gate.open();
    await t.worker.idle();
    return t.sent.slice(before);
  };
  return { ...t, ...endpoint, finish };
}

describe("a delivery that was leased before its endpoint was changed", () => {
  test("is sent to the new address, signed with the new secret only", async () => {
    const { service, id, secret, finish, scope } = await openInProgress();
    const moved = "https://shop.example/moved";
    await service.updateEndpoint(scope, { id, body: { url: moved } });
    const rolled = await service.rollEndpoint(scope, { id, body: { overlap_hours: 0 } });
    const secrets = [(JSON.parse(rolled.body) as WebhookEndpoint).secret];
    expect(secrets).not.toEqual([secret]);
    const sent = await finish();
    const changed = { url: moved, secrets };
    expect(sent.slice(4)).toMatchObject([changed, changed]);
  });

  test("is not sent if the endpoint was disabled, and is not counted", async () => {
    const { service, id, finish, observed, scope } = await openInProgress();
    await service.updateEndpoint(scope, { id, body: { status: "disabled" } });
    expect(await finish()).toHaveLength(4);
    expect(observed).toEqual([]);
  });

  test("is not sent if the endpoint was deleted", async () => {
    const { service, id, finish, scope } = await openInProgress();
    await service.deleteEndpoint(scope, id);
    expect(await finish()).toHaveLength(4);
  });

  test("is not sent if the endpoint answered 410", async () => {
    const { finish } = await openInProgress(gone);
    expect(await finish()).toHaveLength(4);
  });

  test("is not sent if the endpoint, which gets one at a time, answered 410", async () => {
    const outcomes = [failure, success, failure, success, gone];
    const t = await openWorker(() => outcomes[t.sent.length - 1] ?? success);
    await t.addEndpoint();
    await t.payTimes(10);
    await t.deliver();
    expect(t.sent).toHaveLength(outcomes.length);
  });
});

describe("an attempt in progress at the shutdown", () => {
  test.each([
    ["does not count if it fails, and is left to the next owner", failure, { pending: 5 }],
    ["counts if it succeeds", success, { delivered: 4, pending: 1 }],
  ])("%s", async (_, outcome, counts) => {
    const gate = createGate();
    const t = await openWorker(async () => gate.opened.then(() => outcome));
    const endpoint = await t.addEndpoint();
    await t.payTimes(5);
    await t.worker.deliver();
    await expect.poll(() => t.sent).toHaveLength(4);
    t.worker.end();
    gate.open();
    await t.worker.idle();
    expect(t.sent).toHaveLength(4);
    expect(await t.countStatuses(endpoint)).toEqual(counts);
    // Another process leases the delivery when this lease has expired.
    t.time.nowMs += leaseMs;
    const due = { nowMs: t.time.nowMs, untilMs: t.time.nowMs, limit: 10 };
    const left = await t.store.leaseDeliveries(t.scope, endpoint.id, due);
    expect(left.map(({ attempts }) => attempts)).toEqual(Array(counts.pending).fill(0));
  });
});

describe("an attempt whose outcome the store fails to write", () => {
  const storeError = new Error("The store is unavailable.");
  /** A worker whose store fails to write the outcomes of the first attempts. */
  async function openWithFailures(answer: Answer, failures: number) {
    let left = failures;
    const store = await openStoreWith((real) => ({
      writeAttempts: async (ends) => {
        if (left-- > 0) throw storeError;
        return await real.writeAttempts(ends);
      },
    }));
    return await openWorker(answer, { store });
  }

  test("is repeated when its lease has expired, without queries in between", async () => {
    const t = await openWithFailures(() => success, 1);
    const endpoint = await t.addEndpoint();
    await t.payTimes(1);
    await t.deliver();
    expect(t.observed).toEqual([storeError]);
    expect(t.wake).not.toHaveBeenCalled();
    await t.deliver();
    expect(t.sent).toHaveLength(1);
    t.time.nowMs += leaseMs;
    await t.deliver();
    expect(t.wake).toHaveBeenCalledOnce();
    expect(t.sent).toHaveLength(2);
    const delivered = { status: "delivered", attempts: 1 };
    expect(await t.listDeliveries(endpoint)).toMatchObject([delivered]);
  });

  test("does not release the slots of other attempts in progress", async () => {
    const gate = createGate();
    const t = await openWithFailures(async () => {
      if (t.sent.length > 1) await gate.opened;
      return success;
    }, 1);
    await t.addEndpoint();
    await t.payTimes(10);
    await t.worker.deliver();
    // While the first result waits for others, a fifth attempt may begin.
    await expect.poll(() => t.observed).toEqual([storeError]);
    const begun = t.sent.length;
    expect([4, 5]).toContain(begun);
    await nextTurn();
    gate.open();
    await t.worker.idle();
    expect(t.sent).toHaveLength(begun);
    expect(t.observed).toEqual([storeError, ...Array<string>(begun - 1).fill("delivered")]);
  });
});
