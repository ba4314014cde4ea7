import { describe, expect, test } from "vitest";
import type { Recovery } from "../../../src/contract/delivery.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";
import { webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import type { SendOutcome, Webhook } from "../../../src/service/webhooks/webhooks-service.ts";
import {
  declined,
  openTestService,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const success = { outcome: "delivered", status: 204, error: null, answer: "" } as const;
const failure = { outcome: "failed", status: 500, error: "It answered 500.", answer: "" } as const;

/** A service whose events are stored for 30 days, an endpoint of it, and a worker. */
async function openEndpoint(events?: string[]) {
  const webhooks = { schedule: webhookSchedule, eventRetentionMs: 30 * dayMs, allowsPrivate: true };
  const opened = await openTestService({ webhooks });
  const { service, time, test: scope } = opened;
  const state = { answer: success as SendOutcome };
  const sent: string[] = [];
  const startWorker = (send: (webhook: Webhook) => Promise<SendOutcome>) =>
    service.createWebhookWorker({
      sender: { send, close: async () => {} },
      observe: {
        attempted: () => {},
        disabled: () => {},
        broken: (error) => expect.fail(String(error)),
      },
      wake: () => {},
      failingPauseMs: 0,
    });
  const worker = startWorker(async ({ eventId }) => {
    if (state.answer.outcome === "delivered") sent.push(eventId);
    return state.answer;
  });
  const created = { url: "https://shop.example/hooks", events: events as ["*"] };
  const { id } = JSON.parse((await service.createEndpoint(scope, created)).body) as WebhookEndpoint;
  return {
    ...opened,
    scope,
    id,
    startWorker,
    /** The events that it took, in their order. */
    sent,
    /** The endpoint's response from now on. */
    become: (answer: SendOutcome) => (state.answer = answer),
    /** Lets time pass and a payment happen; returns its event's id. */
    payAfter: async (ms: number) => {
      time.nowMs += ms;
      return (await opened.pay(scope)).id.replace("pay_", "evt_");
    },
    /** Delivers until nothing is due. */
    deliver: async () => {
      for (let before = -1; before !== sent.length;) {
        before = sent.length;
        await worker.deliver();
        await worker.idle();
      }
    },
    setStatus: async (status: "enabled" | "disabled") =>
      service.updateEndpoint(scope, { id, body: { status } }),
    recover: async (since = startSeconds, key?: string) => {
      const request = key === undefined ? undefined : { key, fingerprint: "f" };
      const { status, body } = await service.recoverEndpoint(
        scope,
        { id, body: { since } },
        request,
      );
      expect(status).toBe(200);
      return JSON.parse(body) as Recovery;
    },
  };
}

const recoveryOf = (queued: number): Recovery => ({
  object: "recovery",
  queued,
  has_more: false,
});

describe("recovering an endpoint", () => {
  test("that was down until the service disabled it brings all that it missed, each once and in order", async () => {
    const t = await openEndpoint();
    const taken = await t.payAfter(1);
    await t.deliver();
    t.become(failure);
    const missed = [];
    for (let hour = 0; hour < 6 * 24; hour += 12) {
      missed.push(await t.payAfter(12 * hourMs));
      await t.deliver();
    }
    expect(await t.service.getEndpoint(t.scope, t.id)).toMatchObject({
      disabled_reason: "failing",
    });
    t.become(success);
    await expect(t.recover()).rejects.toMatchObject({ code: "parameter_invalid", param: "id" });
    await t.setStatus("enabled");
    expect(await t.recover()).toEqual(recoveryOf(missed.length));
    const later = await t.payAfter(1_000);
    await t.deliver();
    expect(t.sent).toEqual([taken, ...missed, later]);
    expect(await t.recover()).toEqual(recoveryOf(0));
  });

  test("twice at once, with one key or with two, queues each event once", async () => {
    const t = await openEndpoint();
    await t.setStatus("disabled");
    const missed = [await t.payAfter(1), await t.payAfter(1)];
    await t.setStatus("enabled");
    const keys = [undefined, "a", "a", "b"];
    const all = await Promise.all(keys.map(async (key) => t.recover(startSeconds, key)));
    expect(all[1]).toEqual(all[2]);
    const [none, one, , two] = all.map(({ queued }) => queued);
    expect((none ?? 0) + (one ?? 0) + (two ?? 0)).toBe(2);
    await t.deliver();
    expect(t.sent).toEqual(missed);
  });

  test("is finished by another replica where the one that delivers is killed, and loses nothing", async () => {
    const t = await openEndpoint();
    await t.setStatus("disabled");
    const missed = [];
    for (let count = 0; count < 20; count++) missed.push(await t.payAfter(1));
    await t.setStatus("enabled");
    expect(await t.recover()).toEqual(recoveryOf(20));
    const taken: string[] = [];
    const killed = t.startWorker(async ({ eventId }) => {
      taken.push(eventId);
      return taken.length > 6 ? new Promise<never>(() => {}) : success;
    });
    await killed.deliver();
    await expect.poll(() => taken.length).toBe(10); // four of them have no answer
    expect(await t.recover()).toEqual(recoveryOf(0));
    t.time.nowMs += 20_001; // its leases have ended
    await t.deliver();
    expect(new Set([...taken, ...t.sent])).toEqual(new Set(missed));
    expect(t.sent).toEqual(missed.slice(6));
  });

  test("leaves out what was resent, what is of another type, and what is from before its time or creation", async () => {
    const t = await openEndpoint(["payment.succeeded"]);
    await t.setStatus("disabled");
    await t.payAfter(1_000);
    const [resent, wanted] = [await t.payAfter(1_000), await t.payAfter(1)];
    await t.pay(t.scope, { amount: 1, currency: "eur", card: declined.card });
    await t.setStatus("enabled");
    await t.service.resendEvent(t.scope, { id: resent, body: { endpoint: t.id } });
    await t.deliver();
    expect(t.sent).toEqual([resent]);
    expect(await t.recover(startSeconds + 2)).toEqual(recoveryOf(1));
    await t.deliver();
    expect(t.sent).toEqual([resent, wanted]);
    t.time.nowMs += 1;
    const { body } = await t.service.createEndpoint(t.scope, { url: "https://new.example/" });
    const { id } = JSON.parse(body) as WebhookEndpoint;
    const made = await t.service.recoverEndpoint(t.scope, { id, body: { since: 0 } });
    expect(JSON.parse(made.body)).toEqual(recoveryOf(0));
  });

  test("leaves out events that are not stored any more", async () => {
    const t = await openEndpoint();
    await t.setStatus("disabled");
    await t.payAfter(1);
    const late = await t.payAfter(29 * dayMs);
    t.time.nowMs = startMs + 31 * dayMs;
    await t.setStatus("enabled");
    expect(await t.recover(0)).toEqual(recoveryOf(1));
    await t.deliver();
    expect(t.sent).toEqual([late]);
  });

  test("is refused to a listener", async () => {
    const t = await openEndpoint();
    const { body } = await t.service.createEndpoint(t.scope, { url: null });
    const { id } = JSON.parse(body) as WebhookEndpoint;
    const recovering = t.service.recoverEndpoint(t.scope, { id, body: { since: 0 } });
    await expect(recovering).rejects.toMatchObject({ code: "parameter_invalid", param: "id" });
  });
});
