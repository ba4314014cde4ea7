import { describe, expect, test } from "vitest";
import type { WebhookTest } from "../../../src/contract/delivery.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";
import { verifyWebhook } from "../../../src/client/verify-webhook.ts";
import { signWebhook } from "../../../src/runtime/sign-webhook.ts";
import type { SendOutcome, Webhook } from "../../../src/service/webhooks/webhooks-service.ts";
import {
  createGate,
  openTestService,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const success = { outcome: "delivered", status: 204, error: null, answer: "ok" } as const;
const failure = {
  outcome: "failed",
  status: 410,
  error: "gone",
  answer: "",
  isGone: true,
} as const;

async function openTested(answer: (webhook: Webhook) => Promise<SendOutcome>) {
  const sent: Webhook[] = [];
  const sender = {
    send: async (webhook: Webhook) => {
      sent.push(webhook);
      return await answer(webhook);
    },
  };
  const opened = await openTestService({ sender });
  const { service, test: scope } = opened;
  const create = async (url: string | null) =>
    JSON.parse((await service.createEndpoint(scope, { url })).body) as WebhookEndpoint;
  const endpoint = await create("https://shop.example/hooks");
  return {
    ...opened,
    scope,
    sent,
    endpoint,
    create,
    send: async (key?: string, id = endpoint.id) => {
      const request = key === undefined ? undefined : { key, fingerprint: "f" };
      const { body, replayed } = await service.testEndpoint(scope, id, request);
      return { ...(JSON.parse(body) as WebhookTest), replayed };
    },
  };
}

describe("a test of an endpoint", () => {
  test("sends one signed event of it without its secret, and stores none", async () => {
    const t = await openTested(async () => {
      t.time.nowMs += 12;
      return success;
    });
    await t.service.updateEndpoint(t.scope, { id: t.endpoint.id, body: { status: "disabled" } });
    const made = await t.send();
    const { body, secrets, eventId } = t.sent[0]!;
    const outcome = { status: 204, duration_ms: 12, error: null, answer: "ok", replayed: false };
    expect(made).toEqual({ object: "webhook_test", event: eventId, ...outcome });
    const { secret, ...endpoint } = t.endpoint;
    const event = verifyWebhook(
      body,
      signWebhook({ eventId, body, secrets, nowMs: startSeconds * 1000, version: "1.2.3" }),
      secret ?? "",
      { now: startSeconds },
    );
    expect(event).toEqual({
      id: eventId,
      object: "event",
      type: "webhook.test",
      created: startSeconds,
      livemode: false,
      sequence: 1,
      data: { object: { ...endpoint, status: "disabled" } },
    });
    expect(t.sent).toHaveLength(1);
    expect((await t.service.listEvents(t.scope, {})).items).toEqual([]);
    expect((await t.service.listDeliveries(t.scope, endpoint.id, {})).items).toEqual([]);
  });

  test("that fails says so, and changes nothing: a 410 does not disable it", async () => {
    const t = await openTested(async () => failure);
    expect(await t.send()).toMatchObject({ status: 410, error: "gone", answer: "" });
    expect(await t.service.getEndpoint(t.scope, t.endpoint.id)).toMatchObject({
      status: "enabled",
    });
  });

  test("with a key is sent once, and a replay has the same outcome", async () => {
    const gate = createGate();
    const t = await openTested(async () => {
      await gate.opened;
      return success;
    });
    const both = [t.send("k"), t.send("k")];
    await expect.poll(() => t.sent.length).toBe(1);
    gate.open();
    const [first, second] = await Promise.all(both);
    expect([first, await t.send("k")]).toEqual([
      { ...second, replayed: false },
      { ...second, replayed: true },
    ]);
    expect(t.sent).toHaveLength(1);
  });

  test("is refused to a listener, and while too many are sent", async () => {
    const gate = createGate();
    const t = await openTested(async () => {
      await gate.opened;
      return success;
    });
    const { id } = await t.create(null);
    await expect(t.send(undefined, id)).rejects.toMatchObject({ code: "parameter_invalid" });
    const all = Promise.allSettled(Array.from({ length: 20 }, async () => t.send()));
    await expect.poll(() => t.sent.length).toBe(12);
    gate.open();
    const refused = (await all).filter((each) => each.status === "rejected");
    expect(refused.map(({ reason }) => (reason as { code: string }).code)).toEqual(
      Array.from({ length: 8 }, () => "rate_limit_exceeded"),
    );
    await t.send();
  });
});
