import { describe, expect, test } from "vitest";
import type { Actor } from "../../../src/contract/activity.ts";
import type { IssuedKey } from "../../../src/contract/key.ts";
import {
  fakeNetwork,
  declined as refusedRefund,
  lost,
  unreached,
} from "../../testkit/network/fake-network.ts";
import { openNewStore, startSeconds } from "../../testkit/service/open-test-service.ts";
import { command, openWithOperators } from "../../testkit/service/open-with-operators.ts";

const actor: Actor = { type: "operator", id: "op_1", name: "Ada" };
const request = { key: "order-1001", fingerprint: "f" };
const url = "https://shop.example/hooks";

async function open(...given: Parameters<typeof openWithOperators>) {
  const opened = await openWithOperators(...given);
  const { done } = opened;
  return {
    ...opened,
    actions: async (account?: string) => (await done(account)).map(({ action }) => action),
  };
}

async function openWithNetwork() {
  const fake = fakeNetwork();
  const timeouts = { keyMs: 0, refundMs: 0 };
  const opened = await open({ networkOf: fake.networkOf, timeouts });
  return { ...opened, fake, scope: opened.live };
}

describe("who did what is kept", () => {
  test("of accounts", async () => {
    const { service, done } = await open();
    const { id } = await service.createAccount({ name: "Flowers" }, command);
    await service.renameAccount(id, "Roses", actor);
    expect(await service.renameAccount("acct_none", "Nobody", actor)).toBeUndefined();
    expect(await done(id)).toMatchObject([
      { action: "account.renamed", actor, livemode: null, subject: { id, name: "Roses" } },
      { action: "account.created", actor: command, subject: { id, name: "Flowers" } },
    ]);
    expect(await done("acct_none")).toEqual([]);
  });

  test("of keys, each in its mode", async () => {
    const { service, done, first } = await open();
    const { id } = await service.createKey({ mode: "live", name: "shop" }, actor);
    const old = { account: first, id };
    const successor = (await service.rollKey(old, 1000, actor)) as IssuedKey;
    await service.revokeKey(old, actor);
    await service.revokeKey(old, actor);
    await service.revokeKey({ account: first, id: "key_none" }, actor);
    expect(await service.rollKey(old, 1000, actor)).toBeUndefined();
    const ofKey = { actor, livemode: true, subject: { id, name: "shop" } };
    expect(await done()).toMatchObject([
      { action: "api_key.revoked", ...ofKey },
      { action: "api_key.rolled", ...ofKey, detail: successor.id },
      { action: "api_key.created", ...ofKey, created: startSeconds },
    ]);
  });

  test("of endpoints, by what of them changes", async () => {
    const { service, done, live: scope } = await open();
    const created = await service.createEndpoint(scope, { url }, undefined, actor);
    const { id } = JSON.parse(created.body) as { id: string };
    const update = async (body: Parameters<typeof service.updateEndpoint>[1]["body"]) =>
      service.updateEndpoint(scope, { id, body }, undefined, actor);
    await update({ description: "Ours" });
    await update({ description: "Ours" }); // as it is
    await update({ status: "disabled" });
    await update({ status: "enabled", url: `${url}/new` });
    await service.rollEndpoint(scope, { id, body: {} }, undefined, actor);
    await service.deleteEndpoint(scope, id, actor);
    const told = await done();
    expect(told.map(({ action }) => action.split(".")[1])).toEqual([
      "deleted",
      "rolled",
      "enabled",
      "updated",
      "disabled",
      "updated",
      "created",
    ]);
    const name = `${url}/new`;
    expect(told[0]).toMatchObject({ actor, livemode: true, subject: { id, name } });
    expect(told.at(-1)).toMatchObject({ subject: { id, name: url } });
  });

  test("of events that are sent again", async () => {
    const { service, pay, done, test: scope } = await open();
    const id = (await pay(scope)).id.replace("pay_", "evt_");
    await service.resendEvent(scope, { id, body: {} }, request, actor);
    await service.resendEvent(scope, { id, body: {} }, request, actor);
    const resent = { action: "event.resent", actor, livemode: false, subject: { id, name: null } };
    expect(await done()).toMatchObject([{ ...resent, detail: null }]);
    const created = await service.createEndpoint(scope, { url });
    const { id: endpoint } = JSON.parse(created.body) as { id: string };
    await service.resendEvent(scope, { id, body: { endpoint } }, undefined, actor);
    expect((await done())[0]).toMatchObject({ ...resent, detail: endpoint });
  });

  test("of a refund, once, whoever asks again", async () => {
    const { service, replica, pay, done, test: scope } = await open();
    const { id } = await pay(scope);
    const other = await replica();
    const asks = [service, other, service, other].map(async (each) =>
      each.refundPayment(scope, id, request, actor),
    );
    for (const answer of await Promise.all(asks)) expect(answer.status).toBe(200);
    await expect(service.refundPayment(scope, id, undefined, command)).rejects.toThrow("before");
    expect(await done()).toMatchObject([
      { action: "payment.refunded", actor, livemode: false, subject: { id, name: null } },
    ]);
  });

  test("of nothing that is done by nobody", async () => {
    const { service, pay, actions, first, test: scope } = await open();
    const { id } = await service.createKey({ mode: "test", name: "shop" });
    await service.revokeKey({ account: first, id });
    await service.refundPayment(scope, (await pay(scope)).id);
    await service.renameAccount(first, "Roses");
    expect(await actions()).toEqual([]);
  });

  test("in its own account alone", async () => {
    const { service, actions, second } = await open();
    await service.createKey({ mode: "test", name: "shop", account: second }, actor);
    expect(await actions(second)).toEqual(["api_key.created"]);
    expect(await actions()).toEqual([]);
  });
});

describe("a refund that a network is to make", () => {
  test.each([
    ["made at once", undefined],
    ["conflict", lost],
    ["not reached", unreached],
  ])("is kept once, as of who wanted it first, where its answer is %s", async (_, step) => {
    const { service, settleCharges, pay, done, time, fake, scope } = await openWithNetwork();
    const { id } = await pay(scope);
    if (step) fake.steps.refund.push(step);
    const refund = async (by: Actor, asked?: typeof request) =>
      service.refundPayment(scope, id, asked, by).catch(() => undefined);
    await refund(actor, request);
    await refund(actor, request);
    await refund(command);
    time.nowMs += 60_000;
    await settleCharges();
    await refund(actor, request);
    expect(JSON.parse(await service.getPayment(scope, id))).toMatchObject({ status: "refunded" });
    expect(await done()).toMatchObject([
      { action: "payment.refund_requested", actor, livemode: true, subject: { id } },
    ]);
  });

  test("is kept once a key where the network declines it, too: somebody wanted it", async () => {
    const { service, pay, actions, fake, scope } = await openWithNetwork();
    const { id } = await pay(scope);
    const askAs = async (key: string) => {
      fake.steps.refund.push((decide) => decide(refusedRefund));
      const refund = service.refundPayment(scope, id, { ...request, key }, actor);
      await expect(refund).rejects.toMatchObject({ code: "refund_declined" });
    };
    for (const key of ["one", "one"]) await askAs(key);
    expect(await actions()).toEqual(["payment.refund_requested"]);
    await askAs("another");
    expect(await actions()).toEqual(["payment.refund_requested", "payment.refund_requested"]);
  });
});

test("activity is listed in parts, from either side", async () => {
  const { service, first } = await open();
  for (const name of ["a", "b", "c", "d"]) await service.renameAccount(first, name, actor);
  const page = async (query: Parameters<typeof service.listActivity>[1]) => {
    const { items, hasMore } = await service.listActivity(first, query);
    return { names: items.map(({ subject }) => subject.name), last: items.at(-1)?.id, hasMore };
  };
  const newest = await page({ limit: 2 });
  expect(newest).toMatchObject({ names: ["d", "c"], hasMore: true });
  const older = await page({ limit: 2, starting_after: newest.last });
  expect(older).toMatchObject({ names: ["b", "a"], hasMore: false });
  const back = await page({ limit: 2, ending_before: older.last });
  expect(back).toMatchObject({ names: ["c", "b"], hasMore: true });
});

test("activity is kept for a year, of every account; sessions and links that are over go at once", async () => {
  const { service, store, time, signIn, actions, first, second } = await open();
  const { secret } = await signIn();
  await service.createKey({ mode: "test", name: "shop", account: second }, actor);
  const dayMs = 24 * 60 * 60_000;
  time.nowMs += 365 * dayMs;
  await service.renameAccount(first, "Roses", actor);
  await service.purgeAuditLog();
  expect(await actions()).toEqual(["account.renamed", "operator.signed_in", "operator.invited"]);
  expect(await service.findSession(secret)).toBeUndefined();
  expect(await store.purgeSessions(time.nowMs, 10)).toBe(0); // it was forgotten before
  time.nowMs += dayMs;
  await service.purgeAuditLog();
  expect(await actions()).toEqual(["account.renamed"]);
  expect(await actions(second)).toEqual([]);
});

test("forgetting goes on until little is left, or it is stopped", async () => {
  const store = await openNewStore();
  const full = [500, 500, 499];
  const purgeSessions = async () => full.shift() ?? 0;
  const { service } = await open({ store: { ...store, purgeSessions } });
  await service.purgeAuditLog(AbortSignal.abort());
  expect(full).toHaveLength(3);
  await service.purgeAuditLog();
  expect(full).toEqual([]);
});
