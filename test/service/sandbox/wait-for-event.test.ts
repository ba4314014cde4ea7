import { describe, expect, test } from "vitest";
import { body, clientOf, declining, openSandbox } from "../../testkit/client/running-service.ts";
import { openRecordingReceiver } from "../../testkit/service/webhooks.ts";

const timeoutMs = Infinity; // a wait that misses its event ends with its test
const short = { timeoutMs: 1 };

const failsOnce = ({ path }: { path: string }, earlier: number) =>
  path === "/late" && earlier === 0 ? 500 : 200;

describe.concurrent("a sandbox's waitForEvent", { timeout: 60_000 }, () => {
  test("resolves with the newest event that matches, as the API has it", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
    const first = await client.payments.create(body);
    const second = await client.payments.create(body);
    await client.payments.refund(first.id);
    const type = "payment.succeeded";
    const event = await sandbox.waitForEvent({ type });
    expect(event).toEqual(await client.events.retrieve(event.id));
    expect(event).toMatchObject({ type, data: { object: { id: second.id } } });
    const ofFirst = await sandbox.waitForEvent({ payment: first.id });
    expect([ofFirst.type, ofFirst.sequence]).toEqual(["payment.refunded", 2]);
    expect((await sandbox.waitForEvent({ payment: first.id, type })).sequence).toBe(1);
  });

  test("waits for one that is yet to come, in any account and both modes", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual" });
    const shop = await sandbox.createAccount();
    const waiting = sandbox.waitForEvent({ type: "payment.failed", timeoutMs });
    const live = sandbox.waitForEvent({ type: "payment.succeeded", timeoutMs });
    const { id } = await client.payments.create({ ...body, card: declining });
    await sandbox.advance("1s");
    expect((await waiting).data.object.id).toBe(id);
    const paid = await clientOf(sandbox, shop.keys.live).payments.create(body);
    expect(await live).toMatchObject({ livemode: true, data: { object: { id: paid.id } } });
  });

  test("looks in the account and mode of apiKey alone, where one is given", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual" });
    const { keys } = await sandbox.createAccount();
    const waiting = sandbox.waitForEvent({ apiKey: keys.test, timeoutMs });
    await client.payments.create(body);
    await clientOf(sandbox, keys.live).payments.create(body);
    const { id } = await clientOf(sandbox, keys.test).payments.create(body);
    expect((await waiting).data.object.id).toBe(id);
    const others = sandbox.waitForEvent({ apiKey: keys.live.replace("live", "test"), ...short });
    await expect(others).rejects.toMatchObject({ code: "invalid_api_key" });
  });

  test("with delivered waits until every enabled endpoint of the type has answered 2xx", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
    const receiver = await openRecordingReceiver(failsOnce);
    const type = "payment.succeeded";
    const enabled = await client.webhookEndpoints.create({ url: receiver.url("/") });
    await client.webhookEndpoints.create({ url: receiver.url("/late"), events: [type] });
    const events = ["payment.refunded" as const];
    await client.webhookEndpoints.create({ url: receiver.url("/refunds"), events });
    const disabled = await client.webhookEndpoints.create({ url: receiver.url("/disabled") });
    await client.webhookEndpoints.update(disabled.id, { status: "disabled" });
    const countArrivals = () => receiver.arrivals.map(({ path }) => path).toSorted();
    const waiting = sandbox.waitForEvent({ type, delivered: true, timeoutMs }).then(countArrivals);
    await client.payments.create(body);
    await sandbox.advance("1s"); // the first attempts have ended
    const missing = sandbox.waitForEvent({ type, delivered: true, ...short });
    await expect(missing).rejects.toThrow(
      /^payment\.succeeded of pay_\S+ \(evt_\S+\) came, but was not delivered within 0\.001 s: http:\/\/127\.0\.0\.1:\d+\/late \(we_\S+\) did not take it at attempt 1: the endpoint answered 500\. The clock stands still: advance\(\) moves it on\.$/,
    );
    await sandbox.advance("10s");
    expect(await waiting).toEqual(["/", "/late", "/late"]);
    expect(enabled.status).toBe("enabled");
  });

  test("counts an event that was sent again", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
    const receiver = await openRecordingReceiver((_, earlier) => (earlier === 0 ? 500 : 200));
    await client.webhookEndpoints.create({ url: receiver.url("/") });
    await client.payments.create(body);
    await sandbox.advance("1s");
    const { id } = await sandbox.waitForEvent({ type: "payment.succeeded" });
    const waiting = sandbox.waitForEvent({ delivered: true, timeoutMs });
    await client.events.resend(id);
    expect((await waiting).id).toBe(id);
    expect(receiver.arrivals).toHaveLength(2);
  });

  test("says what is missing where nothing is to be delivered, or an endpoint came too late", async () => {
    const { sandbox, client } = await openSandbox();
    await client.payments.create(body);
    const missing = async () => sandbox.waitForEvent({ delivered: true, ...short });
    await expect(missing()).rejects.toThrow(
      /: no enabled endpoint is subscribed to payment\.succeeded\.$/,
    );
    const { url } = await client.webhookEndpoints.create({ url: "http://127.0.0.1:9/hooks" });
    await expect(missing()).rejects.toThrow(`: ${url} (we_`);
    await expect(missing()).rejects.toThrow(
      / was not sent it, as it was not enabled for it then\.$/,
    );
  });

  test("says what came instead", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
    const nothing = sandbox.waitForEvent(short);
    await expect(nothing).rejects.toThrow(
      /^No event came within 0\.001 s\. Nothing came at all\. The clock stands still/,
    );
    const { id } = await client.payments.create({ ...body, card: declining });
    const elsewhere = sandbox.waitForEvent({ payment: "pay_none", ...short });
    await expect(elsewhere).rejects.toThrow(
      new RegExp(`of pay_none came .*\\. What came last: payment\\.pending of ${id} `),
    );
    await client.payments.create(body);
    await sandbox.advance("1s");
    const other = sandbox.waitForEvent({ type: "payment.succeeded", payment: id, ...short });
    await expect(other).rejects.toThrow(
      new RegExp(
        `^No payment\\.succeeded of ${id} came within 0\\.001 s\\. What came last: payment\\.failed of ${id}, generic_decline \\(evt_\\S+\\); payment\\.pending of ${id} \\(evt_\\S+\\)\\. The clock`,
      ),
    );
  });

  test("ends with an error where the sandbox starts over, or is closed", async () => {
    const { sandbox, client } = await openSandbox();
    const wait = async () => sandbox.waitForEvent({ timeoutMs }).catch(String);
    const before = wait();
    await sandbox.reset();
    expect(await before).toContain("The sandbox starts over, or ends.");
    const after = sandbox.waitForEvent({ timeoutMs });
    const { id } = await client.payments.create(body);
    expect((await after).data.object.id).toBe(id);
    const last = sandbox.waitForEvent({ type: "payment.refunded", timeoutMs }).catch(String);
    await sandbox.close();
    expect(await last).toContain("The sandbox starts over, or ends.");
  });

  test.each<[told: string, wait: unknown]>([
    ["waitForEvent takes an object of options: type, payment, delivered", undefined],
    ["waitForEvent has no option typ. Did you mean type?", { typ: "payment.failed" }],
    ["type must be one of payment.pending, payment.succeeded", { type: "payment.suceeded" }],
    ["payment must be the id of a payment", { payment: "evt_1" }],
    ["payment must be the id of a payment", { payment: { id: "pay_1" } }],
    ["delivered must be true or false", { delivered: "yes" }],
    ["apiKey must be a key of the sandbox", { apiKey: null }],
    ["timeoutMs must be a number of milliseconds, more than 0", { timeoutMs: 0 }],
    ["timeoutMs must be a number of milliseconds, more than 0", { timeoutMs: "1s" }],
  ])("refuses what it cannot wait for: %s (%#)", async (told, wait) => {
    const { sandbox } = await openSandbox();
    const waiting = sandbox.waitForEvent(wait as never);
    await expect(waiting).rejects.toThrow(TypeError);
    await expect(waiting).rejects.toThrow(told);
  });
});
