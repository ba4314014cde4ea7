import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { Delivery } from "../../../src/contract/delivery.ts";
import type {
  CreateEndpointBody,
  UpdateEndpointBody,
  WebhookEndpoint,
} from "../../../src/contract/webhook-endpoint.ts";
import { webhookSchedule } from "../../../src/service/domain/delivery-schedule.ts";
import type { SendOutcome, Webhook } from "../../../src/service/ports/webhook-sender.ts";
import type { Scope } from "../../../src/service/ports/idempotency-record.ts";
import type { Adapters, Store } from "../../../src/service/ports/ports.ts";
import { openNewStore, openTestService, startMs } from "../../testkit/service/open-test-service.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** A little longer than what was taken is left to whoever took it. */
const leaseMs = 20_000;

const success = { outcome: "delivered", status: 204 } as const;
const failure = { outcome: "failed", status: 500, error: "It answered 500." } as const;
const gone = { ...failure, status: 410, isGone: true } as const;

type Answers = (webhook: Webhook) => SendOutcome | Promise<SendOutcome>;

/** A service on a clock that a test sets, and its deliverer, over a sender that answers as a test says. */
async function openDeliverer(answers: Answers, adapters: Partial<Adapters> = {}) {
  const opened = await openTestService(adapters);
  const { service } = opened;
  const sent: Webhook[] = [];
  const told: unknown[] = [];
  const wake = vi.fn<() => void>();
  const send = async (webhook: Webhook) => {
    sent.push(webhook);
    return await answers(webhook);
  };
  const deliverer = service.createWebhookWorker({
    sender: { send, close: async () => {} },
    observe: {
      ended: (outcome) => told.push(outcome),
      disabled: (_, endpointId, reason) => told.push([endpointId, reason]),
      broken: (error) => told.push(error),
    },
    wake,
  });
  return {
    ...opened,
    deliverer,
    sent,
    told,
    wake,
    /** Delivers what is due, and waits until nothing is on its way. */
    deliver: async () => {
      await deliverer.deliver();
      await deliverer.idle();
    },
    add: async (scope: Scope, body: Partial<CreateEndpointBody> = {}) => {
      const url = "https://shop.example/hooks";
      const made = await service.createEndpoint(scope, { url, ...body });
      return JSON.parse(made.body) as WebhookEndpoint;
    },
    deliveriesOf: async (scope: Scope, { id }: WebhookEndpoint): Promise<Delivery[]> =>
      (await service.listDeliveries(scope, id, { limit: 100 })).items,
  };
}

/** A gate that everything waits at until it is opened. */
function closedGate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { opened, open };
}

/** Six webhooks that were taken together, of which four are on their way, to be answered once `finish` is called. */
async function openUnderWay(answer: SendOutcome = success) {
  const gate = closedGate();
  const before = 4;
  const opened = await openDeliverer(async () => {
    if (opened.sent.length <= before) return success; // so quickly that more are taken together
    await gate.opened;
    return answer;
  });
  const { id, secret } = await opened.add(opened.test);
  for (let i = 0; i < before + 6; i++) await opened.pay(opened.test);
  await opened.deliverer.deliver();
  await expect.poll(() => opened.sent).toHaveLength(before + 4);
  opened.told.length = 0;
  /** Answers what was sent of the six. */
  const finish = async () => {
    gate.open();
    await opened.deliverer.idle();
    return opened.sent.slice(before);
  };
  return { ...opened, id, secret, finish };
}

describe("a webhook that is due", () => {
  test("is sent as the event is answered, signed with the endpoint's secret, and ends", async () => {
    const {
      add,
      pay,
      deliver,
      sent,
      told,
      service,
      deliveriesOf,
      test: scope,
    } = await openDeliverer(() => success);
    const endpoint = await add(scope);
    await pay(scope);
    await deliver();
    const [event = ""] = (await service.listEvents(scope, {})).items;
    expect(sent).toEqual([
      {
        url: "https://shop.example/hooks",
        secrets: [endpoint.secret],
        eventId: (JSON.parse(event) as { id: string }).id,
        body: event,
        nowMs: startMs,
        allowHttp: true,
      },
    ]);
    expect(await deliveriesOf(scope, endpoint)).toMatchObject([
      {
        status: "delivered",
        attempts: 1,
        next_attempt_at: null,
        last_status: 204,
        last_error: null,
      },
    ]);
    expect(told).toEqual(["delivered"]);
    await deliver();
    expect(sent).toHaveLength(1);
  });

  test.each([
    ["test", false, true],
    ["live", false, false],
    ["live", true, true],
  ] as const)(
    "in %s mode, private addresses allowed: %s, may go over plain http: %s",
    async (mode, allowsPrivate, allowHttp) => {
      const webhooks = { schedule: webhookSchedule, eventRetentionMs: dayMs, allowsPrivate };
      const { add, pay, deliver, sent, ...scopes } = await openDeliverer(() => success, {
        webhooks,
      });
      await add(scopes[mode]);
      await pay(scopes[mode]);
      await deliver();
      expect(sent).toMatchObject([{ allowHttp }]);
    },
  );

  test("is signed with both secrets while one follows the other", async () => {
    const {
      add,
      pay,
      deliver,
      sent,
      service,
      time,
      test: scope,
    } = await openDeliverer(() => success);
    const { id, secret } = await add(scope);
    const roll = async (overlap_hours: number) => {
      const rolled = await service.rollEndpoint(scope, { id, body: { overlap_hours } });
      return (JSON.parse(rolled.body) as WebhookEndpoint).secret;
    };
    const secretsNow = async () => {
      await pay(scope);
      await deliver();
      return sent.at(-1)?.secrets;
    };
    const second = await roll(2);
    expect(await secretsNow()).toEqual([second, secret]);
    time.nowMs += 2 * hourMs - 1;
    expect(await secretsNow()).toEqual([second, secret]);
    time.nowMs += 1;
    expect(await secretsNow()).toEqual([second]);
    const third = await roll(0);
    expect(await secretsNow()).toEqual([third]);
  });
});

describe("a webhook that fails", () => {
  test("is tried again by the schedule, give or take a tenth, and then no more", async () => {
    const {
      add,
      pay,
      deliver,
      sent,
      told,
      time,
      deliveriesOf,
      test: scope,
    } = await openDeliverer(() => failure);
    const endpoint = await add(scope);
    await pay(scope);
    const only = async () => (await deliveriesOf(scope, endpoint))[0]!;
    const answered = { last_status: 500, last_error: "It answered 500." };
    for (const [tried, stepMs] of webhookSchedule.slice(1).entries()) {
      await deliver();
      const delivery = await only();
      expect(delivery).toMatchObject({ status: "pending", attempts: tried + 1, ...answered });
      const nextMs = (delivery.next_attempt_at ?? 0) * 1000;
      const waitMs = nextMs - time.nowMs;
      expect(waitMs).toBeGreaterThanOrEqual(stepMs * 0.9 - 1_000);
      expect(waitMs).toBeLessThanOrEqual(stepMs * 1.1);
      time.nowMs = nextMs - 1;
      await deliver();
      expect(sent).toHaveLength(tried + 1);
      time.nowMs += 1_001;
    }
    await deliver();
    const last = { status: "failed", attempts: 10, next_attempt_at: null, ...answered };
    expect(await only()).toMatchObject(last);
    expect(told).toEqual([...Array<string>(9).fill("retried"), "failed"]);
  });

  test.each([
    ["longer than the schedule", 6 * hourMs, 6 * hourMs],
    ["longer than a day", 48 * hourMs, dayMs],
  ])("waits for what it was asked to wait: %s", async (_, retryAfterMs, waitMs) => {
    const {
      add,
      pay,
      deliver,
      time,
      deliveriesOf,
      test: scope,
    } = await openDeliverer(() => ({
      ...failure,
      status: 503,
      retryAfterMs,
    }));
    const endpoint = await add(scope);
    await pay(scope);
    await deliver();
    const [delivery] = await deliveriesOf(scope, endpoint);
    expect((delivery?.next_attempt_at ?? 0) * 1000 - time.nowMs).toBe(waitMs);
  });

  test("whose answer is 410 disables its endpoint, and what waits for it is given up", async () => {
    const {
      add,
      pay,
      deliver,
      told,
      service,
      deliveriesOf,
      test: scope,
    } = await openDeliverer(({ url }) => (url.endsWith("/gone") ? gone : success));
    const endpoint = await add(scope, { url: "https://shop.example/gone" });
    const other = await add(scope);
    for (let i = 0; i < 6; i++) await pay(scope);
    await deliver();
    const found = await service.getEndpoint(scope, endpoint.id);
    expect(found).toMatchObject({ status: "disabled", disabled_reason: "gone" });
    const states = (await deliveriesOf(scope, endpoint)).map(({ status }) => status);
    expect(states).toEqual(Array(6).fill("failed"));
    const reached = (await deliveriesOf(scope, other)).map(({ status }) => status);
    expect(reached).toEqual(Array(6).fill("delivered"));
    // Four were on their way at once, and one of them disabled it.
    expect(told.filter((each) => Array.isArray(each))).toEqual([[endpoint.id, "gone"]]);
  });

  test("for five days, with no success at all, disables its endpoint", async () => {
    let outcome: SendOutcome = failure;
    const {
      add,
      pay,
      deliver,
      told,
      time,
      service,
      test: scope,
    } = await openDeliverer(() => outcome);
    const endpoint = await add(scope);
    const tryAgain = async (afterMs: number, next: SendOutcome = failure) => {
      time.nowMs += afterMs;
      outcome = next;
      await pay(scope);
      await deliver();
      return (await service.getEndpoint(scope, endpoint.id)).disabled_reason;
    };
    expect(await tryAgain(0)).toBeNull();
    expect(await tryAgain(4 * dayMs, success)).toBeNull();
    expect(await tryAgain(dayMs)).toBeNull();
    expect(await tryAgain(5 * dayMs - 1)).toBeNull();
    expect(await tryAgain(1)).toBe("failing");
    expect(told.at(-1)).toEqual([endpoint.id, "failing"]);
  });

  test("says nothing of its endpoint once another has arrived that was sent with it", async () => {
    const gate = closedGate();
    const opened = await openDeliverer(async () => {
      if (opened.sent.length === 1) return failure;
      await gate.opened;
      return success;
    });
    const { add, pay, deliverer, sent, told, store, test: scope } = opened;
    const { id } = await add(scope);
    for (let i = 0; i < 2; i++) await pay(scope);
    await deliverer.deliver();
    const failingSince = async () => (await store.findEndpoint(scope, id))?.failingSinceMs;
    await expect.poll(failingSince).toBe(startMs);
    await expect.poll(() => sent).toHaveLength(2);
    gate.open();
    await deliverer.idle();
    expect(told).toEqual(["retried", "delivered"]);
    expect(await failingSince()).toBeNull();
  });

  const elsewhere = { url: "https://shop.example/mended" };
  test.each<[string, SendOutcome, UpdateEndpointBody[]]>([
    ["gone, and has another address", gone, [elsewhere]],
    ["gone, and was enabled anew", gone, [{ status: "disabled" }, { status: "enabled" }]],
    ["failing for days, and has another address", failure, [elsewhere]],
  ])(
    "on its way says nothing of an endpoint that was %s meanwhile",
    async (_, outcome, changes) => {
      const gate = closedGate();
      let answer: Promise<SendOutcome> | SendOutcome = failure;
      const opened = await openDeliverer(() => answer);
      const { add, pay, deliver, deliverer, sent, told, time, service, test: scope } = opened;
      const { id } = await add(scope);
      await pay(scope);
      await deliver();
      time.nowMs += 5 * dayMs;
      answer = gate.opened.then(() => outcome);
      await deliverer.deliver();
      await expect.poll(() => sent).toHaveLength(2);
      answer = success;
      for (const body of changes) await service.updateEndpoint(scope, { id, body });
      await pay(scope);
      gate.open();
      await deliverer.idle();
      await deliver();
      expect((await service.getEndpoint(scope, id)).status).toBe("enabled");
      expect(told.filter((each) => Array.isArray(each))).toEqual([]);
      const [newest] = (await service.listDeliveries(scope, id, {})).items;
      expect(newest?.status).toBe("delivered");
    },
  );

  test("because its event is kept no longer says nothing of its endpoint", async () => {
    const opened = await openDeliverer(() => success);
    const { add, pay, deliver, sent, store, time, deliveriesOf, test: scope } = opened;
    const endpoint = await add(scope);
    await pay(scope);
    await store.queueDeliveries({
      scope,
      deliveries: [
        {
          id: "del_ff",
          endpointId: endpoint.id,
          eventId: "evt_forgotten",
          type: "payment.succeeded",
          status: "pending",
          attempts: 0,
          dueAtMs: startMs + 1,
          lastStatus: null,
          lastError: null,
          createdMs: startMs,
        },
      ],
      idempotency: undefined,
    });
    await deliver();
    time.nowMs += 1;
    await deliver();
    expect(sent).toHaveLength(1);
    expect(await deliveriesOf(scope, endpoint)).toMatchObject([
      { id: "del_ff", status: "failed", last_error: "The event is kept no longer." },
      { status: "delivered" },
    ]);
    expect((await store.findEndpoint(scope, endpoint.id))?.failingSinceMs).toBeNull();
  });
});

describe("at once", () => {
  test("four go to an endpoint, and the others' arrive though it does not answer", async () => {
    const slow = closedGate();
    const {
      add,
      pay,
      deliverer,
      sent,
      deliveriesOf,
      test: scope,
    } = await openDeliverer(async ({ url }) => {
      if (url.endsWith("/slow")) await slow.opened;
      return success;
    });
    await add(scope, { url: "https://shop.example/slow" });
    const quick = await add(scope);
    for (let i = 0; i < 10; i++) await pay(scope);
    await deliverer.deliver();
    await expect
      .poll(async () =>
        (await deliveriesOf(scope, quick)).filter(({ status }) => status === "delivered"),
      )
      .toHaveLength(10);
    await deliverer.deliver();
    const toSlow = () => sent.filter(({ url }) => url.endsWith("/slow"));
    expect(toSlow()).toHaveLength(4);
    slow.open();
    await deliverer.idle();
    expect(toSlow()).toHaveLength(10);
  });

  test("as many are taken as can be tried, however slow their endpoint is", async () => {
    const opened = await openDeliverer(() => {
      opened.time.nowMs += 1_500; // six seconds for four
      return success;
    });
    const { add, pay, deliver, sent, deliveriesOf, test: scope } = opened;
    const endpoint = await add(scope);
    for (let i = 0; i < 20; i++) await pay(scope);
    await deliver();
    expect(sent).toHaveLength(20);
    const states = (await deliveriesOf(scope, endpoint)).map(({ status }) => status);
    expect(states).toEqual(Array(20).fill("delivered"));
  });

  test("one goes to an endpoint that fails, until it does no longer", async () => {
    let outcome: SendOutcome = failure;
    let gate = closedGate();
    let most = 0;
    let now = 0;
    const {
      add,
      pay,
      deliverer,
      deliver,
      time,
      deliveriesOf,
      test: scope,
    } = await openDeliverer(async () => {
      most = Math.max(most, ++now);
      await gate.opened;
      now--;
      return outcome;
    });
    const endpoint = await add(scope);
    await pay(scope);
    gate.open();
    await deliver();
    gate = closedGate();
    most = 0;
    for (let i = 0; i < 6; i++) await pay(scope);
    await deliverer.deliver();
    await expect.poll(() => most).toBe(1);
    await nextTurn();
    outcome = success;
    gate.open();
    await deliverer.idle();
    expect(most).toBe(1);
    time.nowMs += 10_000;
    await deliver();
    expect(most).toBe(4);
    const states = (await deliveriesOf(scope, endpoint)).map(({ status }) => status);
    expect(new Set(states)).toEqual(new Set(["delivered"]));
  });

  test("one that is not answered holds up no other of its endpoint, and none that comes later", async () => {
    const hung = closedGate();
    const opened = await openDeliverer(async () => {
      if (opened.sent.length === 1) await hung.opened;
      return success;
    });
    const { add, pay, deliverer, deliveriesOf, test: scope } = opened;
    const endpoint = await add(scope);
    const arrived = async () => {
      await deliverer.deliver();
      const all = await deliveriesOf(scope, endpoint);
      return all.filter(({ status }) => status === "delivered");
    };
    for (let i = 0; i < 10; i++) await pay(scope);
    await expect.poll(arrived).toHaveLength(9);
    await pay(scope);
    await expect.poll(arrived).toHaveLength(10);
    hung.open();
    await deliverer.idle();
    expect(await arrived()).toHaveLength(11);
  });

  test("an account's arrive though no endpoint of another answers, and it has all places that it may", async () => {
    const never = closedGate();
    const opened = await openDeliverer(async ({ url }) => {
      if (url.endsWith("/slow")) await never.opened;
      return success;
    });
    const { service, add, pay, deliverer, deliver, sent, deliveriesOf, test: slow, live } = opened;
    const other = { ...slow, accountId: (await service.createAccount({ name: "Books" })).id };
    for (const scope of [slow, live]) {
      for (let i = 0; i < 10; i++) await add(scope, { url: "https://shop.example/slow" });
      for (let i = 0; i < 4; i++) await pay(scope);
    }
    await deliverer.deliver();
    await expect.poll(() => sent).toHaveLength(48);
    const quick = await add(other);
    for (let i = 0; i < 10; i++) await pay(other);
    await deliverer.deliver();
    const arrived = async () => (await deliveriesOf(other, quick)).map(({ status }) => status);
    await expect.poll(arrived).toEqual(Array(10).fill("delivered"));
    expect(sent).toHaveLength(58);
    never.open();
    await deliverer.idle();
    await deliver();
    expect(new Set(sent.map(({ secrets, eventId }) => `${secrets[0]} ${eventId}`)).size).toBe(90);
    expect(sent).toHaveLength(90);
  });

  test("sixty-four are on their way in all", async () => {
    const gate = closedGate();
    const opened = await openDeliverer(async () => {
      await gate.opened;
      return success;
    });
    const { service, add, pay, deliverer, deliver, sent, test: scope } = opened;
    const accounts = [scope.accountId];
    for (let i = 0; i < 4; i++) accounts.push((await service.createAccount({ name: "Books" })).id);
    for (const accountId of accounts) {
      const own = { accountId, livemode: false };
      for (let i = 0; i < 16; i++) await add(own);
      for (let i = 0; i < 4; i++) await pay(own);
    }
    await deliverer.deliver();
    await expect.poll(() => sent).toHaveLength(64);
    await deliverer.deliver();
    await nextTurn();
    expect(sent).toHaveLength(64);
    gate.open();
    await deliverer.idle();
    await deliver();
    const all = accounts.length * 16 * 4;
    expect(new Set(sent.map(({ secrets, eventId }) => `${secrets[0]} ${eventId}`)).size).toBe(all);
    expect(sent).toHaveLength(all);
  });
});

describe("what was taken before its endpoint was changed", () => {
  test("goes to its new address, signed with its new secret alone", async () => {
    const { service, id, secret, finish, test: scope } = await openUnderWay();
    const url = "https://shop.example/moved";
    await service.updateEndpoint(scope, { id, body: { url } });
    const rolled = await service.rollEndpoint(scope, { id, body: { overlap_hours: 0 } });
    const sent = await finish();
    expect(sent).toHaveLength(6);
    const secrets = [(JSON.parse(rolled.body) as WebhookEndpoint).secret];
    const moved = { url, secrets };
    expect(sent.slice(4)).toMatchObject([moved, moved]);
    expect(secrets).not.toEqual([secret]);
  });

  test("is not sent where it was disabled, nor counted where it was given up", async () => {
    const { service, told, id, finish, test: scope } = await openUnderWay();
    await service.updateEndpoint(scope, { id, body: { status: "disabled" } });
    expect(await finish()).toHaveLength(4);
    expect(told).toEqual([]);
  });

  test("is not sent where it was deleted", async () => {
    const { service, id, finish, test: scope } = await openUnderWay();
    await service.deleteEndpoint(scope, id);
    expect(await finish()).toHaveLength(4);
  });

  test("is not sent once another was answered 410", async () => {
    const { finish } = await openUnderWay(gone);
    expect(await finish()).toHaveLength(4);
  });
});

describe("at the end", () => {
  test.each([
    [
      "fails is not counted, and left to whoever goes on",
      failure,
      { status: "pending", attempts: 0 },
    ],
    ["arrives has arrived", success, { status: "delivered", attempts: 1 }],
  ])("what is on its way and %s", async (_, outcome, state) => {
    const gate = closedGate();
    const {
      add,
      pay,
      deliverer,
      sent,
      time,
      deliveriesOf,
      service,
      test: scope,
    } = await openDeliverer(async () => {
      await gate.opened;
      return outcome;
    });
    const endpoint = await add(scope);
    for (let i = 0; i < 5; i++) await pay(scope);
    await deliverer.deliver();
    await expect.poll(() => sent).toHaveLength(4);
    deliverer.end();
    gate.open();
    await deliverer.idle();
    expect(sent).toHaveLength(4);
    const [last, ...ended] = await deliveriesOf(scope, endpoint);
    expect(last).toMatchObject({ status: "pending", attempts: 0 });
    expect(ended).toMatchObject(Array(4).fill(state));
    // Whoever goes on takes it as soon as it is sure that nobody has it.
    time.nowMs += leaseMs;
    const next: string[] = [];
    const another = service.createWebhookWorker({
      sender: {
        send: async ({ eventId }) => (next.push(eventId), success),
        close: async () => {},
      },
      observe: { ended: () => {}, disabled: () => {}, broken: () => {} },
      wake: () => {},
    });
    await another.deliver();
    await another.idle();
    expect(next).toHaveLength(state.status === "pending" ? 5 : 1);
  });
});

/** A store whose next so many ends of tries fail. */
async function openFailing() {
  const real = await openNewStore();
  const failing = { next: 0 };
  const endDelivery: Store["endDelivery"] = async (end) => {
    if (failing.next-- > 0) throw storeIsAway;
    return await real.endDelivery(end);
  };
  return { store: { ...real, endDelivery }, failing };
}
const storeIsAway = new Error("The store is away.");

describe("what a store that fails has not written", () => {
  test("is sent again, and nothing else suffers", async () => {
    const { store, failing } = await openFailing();
    const opened = await openDeliverer(() => success, { store });
    const { add, pay, deliver, sent, told, wake, time, deliveriesOf, test: scope } = opened;
    const endpoint = await add(scope);
    await pay(scope);
    failing.next = 1;
    await deliver();
    expect(told).toEqual([storeIsAway]);
    expect(wake).not.toHaveBeenCalled(); // or it would be asked all the time
    await deliver();
    expect(sent).toHaveLength(1);
    time.nowMs += leaseMs;
    await deliver();
    expect(wake).toHaveBeenCalledOnce();
    expect(sent).toHaveLength(2);
    const delivered = { status: "delivered", attempts: 1 };
    expect(await deliveriesOf(scope, endpoint)).toMatchObject([delivered]);
  });

  test("keeps the places of what is still on its way", async () => {
    const { store, failing } = await openFailing();
    const gate = closedGate();
    const opened = await openDeliverer(
      async () => {
        if (opened.sent.length > 1) await gate.opened;
        return success;
      },
      { store },
    );
    const { add, pay, deliverer, sent, told, test: scope } = opened;
    await add(scope);
    for (let i = 0; i < 10; i++) await pay(scope);
    failing.next = 1;
    await deliverer.deliver();
    await expect.poll(() => [sent.length, ...told]).toEqual([4, storeIsAway]);
    await nextTurn();
    gate.open();
    await deliverer.idle();
    expect(sent).toHaveLength(4);
    expect(told).toEqual([storeIsAway, "delivered", "delivered", "delivered"]);
  });
});
