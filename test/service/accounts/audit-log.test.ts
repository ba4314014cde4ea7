import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/contract/administration.ts";
import type { UpdateEndpointBody } from "../../../src/contract/webhook-endpoint.ts";
import {
  declined as refusedRefund,
  fakeNetwork,
  lost,
  unreached,
} from "../../testkit/network/fake-network.ts";
import {
  command,
  openPage,
  openWithOperators,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const actor: Actor = { type: "operator", id: "op_1", name: "Ada" };
const request = { key: "order-1001", fingerprint: "f" };
const url = "https://shop.example/hooks";

async function openWithNetwork() {
  const fake = fakeNetwork();
  const timeouts = { keyMs: 0, refundMs: 0 };
  return { ...(await openWithOperators({ networkOf: fake.networkOf, timeouts })), fake };
}

describe("the audit log contains changes", () => {
  test("of accounts", async () => {
    const { service, listAuditLog } = await openWithOperators();
    const { id } = await service.createAccount({ name: "Flowers" }, command);
    await service.renameAccount(id, "Roses", actor);
    expect(await service.renameAccount("acct_none", "Nobody", actor)).toBeUndefined();
    expect(await listAuditLog(id)).toMatchObject([
      { action: "account.renamed", actor, livemode: null, subject: { id, name: "Roses" } },
      { action: "account.created", actor: command, subject: { id, name: "Flowers" } },
    ]);
    expect(await listAuditLog("acct_none")).toEqual([]);
  });

  test("of keys, each in its mode and account", async () => {
    const { service, listAuditLog, listActions, first, second } = await openWithOperators();
    const old = await service.createKey({ mode: "live", name: "shop" }, actor);
    const successor = await service.rollKey(old, 1000, actor);
    await service.revokeKey(old, actor);
    await service.revokeKey(old, actor);
    await service.revokeKey({ account: first, id: "key_none" }, actor);
    expect(await service.rollKey(old, 1000, actor)).toBeUndefined();
    const ofKey = { actor, livemode: true, subject: { id: old.id, name: "shop" } };
    expect(await listAuditLog()).toMatchObject([
      { action: "api_key.revoked", ...ofKey },
      { action: "api_key.rolled", ...ofKey, detail: successor?.id },
      { action: "api_key.created", ...ofKey, created: startSeconds },
    ]);
    await service.createKey({ mode: "test", name: "shop", account: second }, actor);
    expect(await listActions(second)).toEqual(["api_key.created"]);
    expect(await listActions()).toHaveLength(3);
  });

  test("of endpoints, one entry for each kind of change", async () => {
    const { service, listAuditLog, live: scope } = await openWithOperators();
    const created = await service.createEndpoint(scope, { url }, undefined, actor);
    const { id } = JSON.parse(created.body) as { id: string };
    const update = async (body: UpdateEndpointBody) =>
      service.updateEndpoint(scope, { id, body }, undefined, actor);
    await update({ description: "Ours" });
    await update({ description: "Ours" }); // no change
    await update({ status: "disabled" });
    await update({ status: "enabled", url: `${url}/new` });
    await service.rollEndpoint(scope, { id, body: {} }, undefined, actor);
    await service.deleteEndpoint(scope, id, actor);
    const entries = await listAuditLog();
    expect(entries.map(({ action }) => action.split(".")[1]).join()).toBe(
      "deleted,rolled,enabled,updated,disabled,updated,created",
    );
    const subject = { id, name: `${url}/new` };
    expect(entries[0]).toMatchObject({ actor, livemode: true, subject });
    expect(entries.at(-1)).toMatchObject({ subject: { id, name: url } });
  });

  test("of events: a resend, once for each idempotency key", async () => {
    const { service, pay, listAuditLog, test: scope } = await openWithOperators();
    const id = (await pay(scope)).id.replace("pay_", "evt_");
    await service.resendEvent(scope, { id, body: {} }, request, actor);
    await service.resendEvent(scope, { id, body: {} }, request, actor);
    const resent = { action: "event.resent", actor, livemode: false, subject: { id, name: null } };
    expect(await listAuditLog()).toMatchObject([{ ...resent, detail: null }]);
    const created = await service.createEndpoint(scope, { url });
    const { id: endpoint } = JSON.parse(created.body) as { id: string };
    await service.resendEvent(scope, { id, body: { endpoint } }, undefined, actor);
    expect((await listAuditLog())[0]).toMatchObject({ ...resent, detail: endpoint });
  });

  test("of payments: a refund, once, however often it is requested", async () => {
    const { service, openReplica, pay, listAuditLog, test: scope } = await openWithOperators();
    const { id } = await pay(scope);
    const replica = await openReplica();
    const refunds = [service, replica, service, replica].map(async (each) =>
      each.refundPayment(scope, id, request, { actor, maxRefund: null }),
    );
    for (const response of await Promise.all(refunds)) expect(response.status).toBe(200);
    await expect(
      service.refundPayment(scope, id, undefined, { actor: command, maxRefund: null }),
    ).rejects.toThrow("before");
    expect(await listAuditLog()).toMatchObject([
      { action: "payment.refunded", actor, livemode: false, subject: { id, name: null } },
    ]);
  });

  test("of payments: a cancellation by the merchant, not the customer's own", async () => {
    const opened = await openWithOperators();
    const { service, listAuditLog, test: scope } = opened;
    const [{ created }, byCustomer] = [
      await openPage(opened, scope),
      await openPage(opened, scope),
    ];
    await service.cancelPage(byCustomer.token);
    await service.cancelPayment(scope, created.id, request, actor);
    await service.cancelPayment(scope, created.id, request, actor);
    await expect(service.cancelPayment(scope, created.id, undefined, actor)).rejects.toThrow(
      "open",
    );
    expect(await listAuditLog()).toMatchObject([
      {
        action: "payment.canceled",
        actor,
        livemode: false,
        subject: { id: created.id, name: null },
      },
    ]);
  });

  test("only if they have an actor", async () => {
    const { service, pay, listActions, first, test: scope } = await openWithOperators();
    const { id } = await service.createKey({ mode: "test", name: "shop" });
    await service.revokeKey({ account: first, id });
    await service.refundPayment(scope, (await pay(scope)).id);
    await service.renameAccount(first, "Roses");
    expect(await listActions()).toEqual([]);
  });
});

describe("a refund through a card network is in the audit log", () => {
  test.each([
    ["succeeds at once", undefined],
    ["gets no response", lost],
    ["does not reach the network", unreached],
  ])("once, with the first actor who requested it, if it %s", async (_, step) => {
    const t = await openWithNetwork();
    const { id } = await t.pay(t.live);
    if (step) t.fake.steps.refund.push(step);
    const refund = async (by: Actor, once?: typeof request) =>
      t.service
        .refundPayment(t.live, id, once, { actor: by, maxRefund: null })
        .catch(() => undefined);
    await refund(actor, request);
    await refund(actor, request);
    await refund(command);
    t.time.nowMs += 60_000;
    await t.settleCharges();
    await refund(actor, request);
    expect(JSON.parse(await t.service.getPayment(t.live, id))).toMatchObject({
      status: "refunded",
    });
    expect(await t.listAuditLog()).toMatchObject([
      { action: "payment.refund_requested", actor, livemode: true, subject: { id } },
    ]);
  });

  test("once for each idempotency key if the network declines it", async () => {
    const { service, pay, listActions, fake, live: scope } = await openWithNetwork();
    const { id } = await pay(scope);
    for (const key of ["one", "one", "another"]) {
      fake.steps.refund.push((decide) => decide(refusedRefund));
      const caller = { actor, maxRefund: null };
      const refund = service.refundPayment(scope, id, { ...request, key }, caller);
      await expect(refund).rejects.toMatchObject({ code: "refund_declined" });
    }
    const requested = "payment.refund_requested";
    expect(await listActions()).toEqual([requested, requested]);
  });
});
