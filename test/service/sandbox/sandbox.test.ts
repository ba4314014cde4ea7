import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Event } from "../../../src/contract/event.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { sandboxKeys } from "../../../src/contract/field-values.ts";
import {
  body,
  clientOf,
  declining,
  openSandbox,
  request,
} from "../../testkit/client/running-service.ts";
import { openRecordingReceiver } from "../../testkit/service/webhooks.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { serve } from "../../../src/service/server/serve.ts";
import { serveSandbox } from "../../../src/service/server/serve-sandbox.ts";
import { startService } from "../../../src/service/server/start-service.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

/** Of tests that change nothing. */
let unmoved: ReturnType<typeof openSandbox>;
beforeAll(() => {
  unmoved = openSandbox({ clock: "manual", seed: "1" });
});

describe.concurrent("the clock", () => {
  test("manual: stands still at the real time, at 1800000000 with a seed", async () => {
    const before = Math.floor(Date.now() / 1000);
    const { sandbox } = await openSandbox({ clock: "manual" });
    expect(sandbox.now()).toBeGreaterThanOrEqual(before);
    expect(sandbox.now()).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    const { sandbox: seeded } = await openSandbox({ clock: "manual", seed: "1" });
    expect(seeded.now()).toBe(1_800_000_000);
  });

  test("real: work that is due later happens by itself, and a move jumps", async () => {
    const { sandbox, client } = await openSandbox();
    const declined = await client.payments.create({ ...body, card: declining });
    expect((await client.payments.settled(declined)).status).toBe("failed");
    const page = await client.payments.createHosted({ amount: 1, currency: "eur" });
    const before = sandbox.now();
    expect((await sandbox.advance("25h")).did).toMatchObject({ expired: 1 });
    expect(sandbox.now()).toBeGreaterThanOrEqual(before + 25 * 3_600);
    const expired = await client.payments.retrieve(page.id);
    expect([expired.decline_code, (expired.failed_at ?? 0) - page.created]).toEqual([
      "hpp_expired",
      24 * 3_600,
    ]);
    const later = await client.payments.create({ ...body, card: declining });
    expect(later.created).toBeGreaterThanOrEqual(before + 25 * 3_600);
    expect((await client.payments.settled(later)).status).toBe("failed");
  });

  test.each([
    [{}, "advance"],
    [{ advance: "1h", to: 2_000_000_000 }, "to"],
    [{ advance: "401d" }, "advance"],
    [{ advance: "0s" }, "advance"],
    [{ advance: "-1s" }, "advance"],
    [{ advance: 5 }, "advance"],
    [{ to: 1_799_999_999 }, "to"],
    [{ to: 1_800_000_000 + 400 * 86_400 + 1 }, "to"],
    [{ back: "1h" }, "advance"], // the first mistake: unknown fields come last
  ])("is not moved by %j", async (move, param) => {
    const { sandbox } = await unmoved;
    const refused = await request(sandbox, "POST /sandbox/clock", { body: move });
    expect(refused).toMatchObject({ status: 400, body: { error: { param } } });
    expect(sandbox.now()).toBe(1_800_000_000);
  });

  test("a move ends when what is due at its very end is done", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
    const { id } = await client.payments.create({ ...body, card: declining });
    expect((await sandbox.advance("999ms")).did).toMatchObject({ settled: 0 });
    expect((await sandbox.advance("1ms")).did).toMatchObject({ settled: 1 });
    expect((await client.payments.retrieve(id)).failed_at).toBe(1_800_000_001);
  });

  test("moves that come at once follow each other", async () => {
    const { sandbox } = await openSandbox({ clock: "manual", seed: "1" });
    await Promise.all(["1h", "2h", "3h"].map(async (by) => sandbox.advance(by)));
    expect(sandbox.now()).toBe(1_800_000_000 + 6 * 3_600);
  });
});

test("a manual clock starts at a whole second, so that a page is over at its creation plus its life, and not before", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_790_000_000_750 });
  const { sandbox, client } = await openSandbox({ clock: "manual" }).finally(vi.useRealTimers);
  const page = await client.payments.createHosted({ amount: 1, currency: "eur", expires_in: 300 });
  const move = async (to: number) =>
    (await request(sandbox, "POST /sandbox/clock", { body: { to } })).status;
  expect(await move(page.created + 299)).toBe(200);
  expect((await client.payments.retrieve(page.id)).status).toBe("pending");
  expect(await move(page.created + 300)).toBe(200);
  expect(await client.payments.retrieve(page.id)).toMatchObject({
    created: 1_790_000_000,
    status: "failed",
    failed_at: page.created + 300,
  });
});

/** A sandbox whose webhook is under way: the receiver answers it once `answer` is called. */
async function openWithWebhookUnderWay() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const receiver = createServer(async (_, response) => {
    await answered;
    response.end();
  }).listen(0, "127.0.0.1");
  openUntilFileEnds(() => receiver.close());
  await once(receiver, "listening");
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
  const { port } = receiver.address() as AddressInfo;
  await client.webhookEndpoints.create({ url: `http://127.0.0.1:${port}` });
  const arrived = once(receiver, "request");
  await client.payments.create(body);
  await arrived;
  return { sandbox, answer };
}

test("a move of the clock waits for work that was due before, and does not count it", async () => {
  const { sandbox, answer } = await openWithWebhookUnderWay();
  const moving = sandbox.advance("1h");
  answer();
  expect((await moving).did).toMatchObject({ delivered: 0, delivery_attempts: 0 });
});

test("a move of the clock does not wait for the webhooks of payments that are made meanwhile", async () => {
  const receiver = await openRecordingReceiver();
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
  const { keys } = await sandbox.createAccount();
  const other = clientOf(sandbox, keys.test);
  const endpoint = await other.webhookEndpoints.create({ url: receiver.url("/") });
  const late = await client.payments.create({ ...body, card: declining });
  const made: string[] = [];
  const moved = new AbortController();
  const working = (async () => {
    while (!moved.signal.aborted) made.push((await other.payments.create(body)).id);
  })();
  await expect.poll(() => made.length).toBeGreaterThan(3);
  await sandbox.advance("1h");
  moved.abort();
  await working;
  expect((await client.payments.retrieve(late.id)).status).toBe("failed");
  // The deliveries that were held back are sent after the move.
  const sent = () => new Set(receiver.arrivals.map(({ event }) => event.data.object.id));
  await expect.poll(() => made.filter((id) => !sent().has(id))).toEqual([]);
  const { data } = await other.webhookEndpoints.deliveries(endpoint.id, { limit: 1 });
  expect(data).toMatchObject([{ status: "delivered" }]);
});

test("a payment that a receiver makes during a move has its events sent in their order", async () => {
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
  const types: string[] = [];
  let made: Promise<Payment> | undefined;
  const receiver = createServer(async (received, response) => {
    const event = (await json(received)) as Event;
    made ??= client.payments.create({ ...body, card: declining });
    if (event.data.object.id === (await made).id) types.push(event.type);
    response.end();
  }).listen(0, "127.0.0.1");
  openUntilFileEnds(() => receiver.close());
  await once(receiver, "listening");
  const page = await client.payments.createHosted({ amount: 100, currency: "eur" });
  const { port } = receiver.address() as AddressInfo;
  await client.webhookEndpoints.create({ url: `http://127.0.0.1:${port}` });
  await sandbox.advance("2d");
  expect((await client.payments.retrieve(page.id)).status).toBe("failed");
  await expect.poll(() => types).toEqual(["payment.pending", "payment.failed"]);
});

describe.concurrent("a reset", () => {
  test("leaves everything as at the start, and the keys as they are", async () => {
    const { sandbox, client } = await openSandbox({ clock: "manual" });
    const { id } = await client.account.retrieve();
    const start = sandbox.now();
    await client.payments.create(body, { idempotencyKey: "one" });
    const other = await sandbox.createAccount("Other");
    sandbox.fault({ on: "*", do: "status", status: 500 });
    await sandbox.advance("25h");
    expect((await request(sandbox, "POST /sandbox/reset")).body).toEqual({
      now: start,
      mode: "manual",
    });
    expect([sandbox.now(), sandbox.requests(), sandbox.faults()]).toEqual([start, [], []]);
    expect((await client.account.retrieve()).id).toBe(id);
    expect((await client.payments.list()).data).toEqual([]);
    const { test: key } = other.keys;
    expect((await request(sandbox, "GET /v1/payments", { key })).status).toBe(401);
    expect((await client.payments.create(body, { idempotencyKey: "one" })).status).toBe(
      "succeeded",
    );
  });

  test("and the other controls are in no log of requests", async () => {
    const { sandbox, client } = await openSandbox();
    await request(sandbox, "POST /sandbox/reset");
    await request(sandbox, "POST /sandbox/clock", { body: { advance: "never" } });
    await request(sandbox, "DELETE /sandbox/faults");
    await client.payments.refund("pay_1").catch(() => {});
    const list = async () => (await client.requests.list()).data.map(({ path }) => path);
    await expect.poll(list).toEqual(["/v1/payments/pay_1/refund"]);
  });

  test("waits for requests under way, and ends a wait for events", async ({
    expect: expectHere,
  }) => {
    const { sandbox, client } = await openSandbox();
    const listener = await client.webhookEndpoints.create({ url: null });
    await client.listeners.start(listener.id);
    const waiting = client.listeners.take(listener.id, { wait_seconds: 25 });
    await expectHere.poll(() => sandbox.requests().length).toBe(3);
    const creating = Array.from({ length: 20 }, async () => client.payments.create(body));
    await Promise.all([sandbox.reset(), ...creating]);
    expect((await waiting).data).toEqual([]);
  });

  test("ends the wait of a delayed request, which is answered", async ({ expect: expectHere }) => {
    const { sandbox } = await openSandbox();
    const headers = { "sandbox-fault": "delay=10m" };
    const delayed = request(sandbox, "POST /v1/payments", { body, headers });
    await expectHere.poll(() => sandbox.requests()).toHaveLength(1);
    await sandbox.reset();
    expect((await delayed).status).toBe(201);
  });

  test("ends a move of the clock", async () => {
    const { sandbox } = await openWithWebhookUnderWay();
    const moves = ["1h", "2h"].map(async (by) => sandbox.advance(by));
    const ended = Promise.allSettled(moves);
    await sandbox.reset();
    const reason = expect.objectContaining({ code: "service_unavailable" });
    expect(await ended).toEqual(moves.map(() => ({ status: "rejected", reason })));
    expect(sandbox.now()).toBe(1_800_000_000);
  });

  test("holds up new accounts, which stay", async () => {
    const { sandbox } = await openSandbox();
    const resetting = sandbox.reset();
    await Promise.resolve(); // it has begun
    const { keys } = await sandbox.createAccount();
    await resetting;
    const { test: key } = keys;
    expect((await request(sandbox, "GET /v1/account", { key })).status).toBe(200);
  });
});

describe.concurrent("the end of a sandbox", () => {
  test("ends the wait of a delayed request, which is answered", async ({ expect: expectHere }) => {
    const { sandbox } = await openSandbox();
    const headers = { "sandbox-fault": "delay=10m" };
    const delayed = request(sandbox, "POST /v1/payments", { body, headers });
    await expectHere.poll(() => sandbox.requests()).toHaveLength(1);
    await sandbox.close();
    expect((await delayed).status).toBe(201);
  });

  test("waits for a reset, and lets none begin", async () => {
    const { sandbox } = await openSandbox();
    const resetting = sandbox.reset();
    await Promise.resolve(); // it has begun
    await Promise.all([sandbox.close(), resetting]);
    await expect(sandbox.reset()).rejects.toMatchObject({ code: "service_unavailable" });
  });
});

test("with a seed the same calls give the same answers and deliveries, also after a reset", async () => {
  const receiver = await openRecordingReceiver((_, earlier) => (earlier < 2 ? 500 : 200));
  const { sandbox } = await openSandbox({ clock: "manual", seed: "42" });
  const { sandbox: second } = await openSandbox({ clock: "manual", seed: "42" });

  const run = async ({ keys }: typeof sandbox, url: string) => {
    receiver.arrivals.length = 0;
    const answers: unknown[] = [];
    const call = async (target: string, sent?: object) =>
      answers.push((await request({ url, keys }, target, { ...(sent && { body: sent }) })).body);
    await call("POST /v1/webhook_endpoints", { url: receiver.url("/hooks") });
    await call("POST /v1/payments", body);
    await call("POST /v1/payments", { ...body, card: declining });
    await call("POST /v1/payments/hpp", { amount: 1, currency: "eur" });
    await call("POST /sandbox/accounts", { name: "Other" });
    await call("POST /sandbox/clock", { advance: "2d" });
    await call("GET /v1/payments");
    await call("GET /v1/events");
    const [{ id: endpoint }] = answers as [{ id: string }];
    await call(`POST /v1/webhook_endpoints/${endpoint}/test`, {});
    const deliveries = `/v1/webhook_endpoints/${endpoint}/deliveries`;
    await call(`GET ${deliveries}`);
    const { data } = answers.at(-1) as { data: { id: string }[] };
    await call(`GET ${deliveries}/${data[0]?.id}`);
    expect(answers.at(-1)).toMatchObject({ tries: [{ status: 500 }, {}, { status: 200 }] });
    await call("GET /v1/nothing");
    const text = JSON.stringify(answers).replaceAll(url, "http://sandbox");
    return [
      text,
      receiver.arrivals.map(({ at, body: sent, headers }) => [
        at,
        sent.replaceAll(url, "http://sandbox"),
        headers["webhook-id"],
      ]),
    ];
  };
  const first = await run(sandbox, sandbox.url);
  await sandbox.reset();
  expect(await run(sandbox, sandbox.url)).toEqual(first);
  expect(await run(second, second.url)).toEqual(first);
});

describe.concurrent("the control", () => {
  test("takes a test key of any account of the sandbox, and no other", async () => {
    const { sandbox } = await unmoved;
    const { keys } = await sandbox.createAccount();
    const statuses = [];
    for (const key of [keys.test, keys.live, sandbox.keys.live, "svc_test_sk_nobody"]) {
      statuses.push((await request(sandbox, "GET /sandbox/requests", { key })).status);
    }
    expect(statuses).toEqual([200, 401, 401, 401]);
  });

  test.each([
    [{ on: "POST /v1/paymen", do: "lost_answer" }, "on"],
    [{ on: "PUT /v1/payments", do: "lost_answer" }, "on"],
    [{ on: "POST /v1/payments", do: "explode" }, "do"],
    [{ on: "POST /v1/payments", do: "duplicate" }, "do"],
    [{ on: "webhooks", do: "disconnect" }, "do"],
    [{ on: "network", do: "lost_answer" }, "do"],
    [{ on: "*", do: "delay" }, "for"],
    [{ on: "*", do: "delay", for: "11m" }, "for"],
    [{ on: "*", do: "status", status: 404 }, "status"],
    [{ on: "*", do: "lost_answer", status: 500 }, "status"],
    [{ on: "network", do: "decline", code: "no_reason" }, "code"],
    [{ on: "*", do: "lost_answer", times: 0 }, "times"],
    [{ on: "*", do: "lost_answer", when: "now" }, "when"],
    [{ do: "lost_answer" }, "on"],
  ])("refuses the fault %j", async (fault, param) => {
    const { sandbox } = await unmoved;
    const refused = await request(sandbox, "POST /sandbox/faults", { body: fault });
    expect(refused).toMatchObject({ status: 400, body: { error: { param } } });
    expect(sandbox.faults()).toEqual([]);
  });

  test("is reached by no web page whose name was made to lead to this machine", async () => {
    const { sandbox } = await unmoved;
    const { hostname, port } = new URL(sandbox.url);
    const status = async (host: string) =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${sandbox.keys.test}` };
        sendRequest({ hostname, port, path: "/v1/payments", headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
    expect(await status("evil.example")).toBe(400);
    for (const host of ["localhost:8402", "127.0.0.1", "payments"])
      expect(await status(host)).toBe(200);
  });
});

describe.concurrent("the published keys", () => {
  test("begin as they say, and open a sandbox alone", async () => {
    for (const [mode, key] of Object.entries(sandboxKeys)) {
      expect(key).toMatch(new RegExp(`^svc_${mode}_sk_sandbox[A-Za-z0-9]{36}$`));
    }
    const file = join(createTemporaryHome(), "sandbox.db");
    const database = `sqlite:${file}`;
    const { sandbox } = await openSandbox({ database });
    expect((await request(sandbox, "POST /v1/payments", { body })).status).toBe(201);
    await sandbox.close();
    expect(readFileSync(file).includes(sandboxKeys.test)).toBe(false);
    const service = await startService({ database });
    for (const key of Object.values(sandboxKeys)) {
      expect((await request(service, "GET /v1/payments", { key })).status).toBe(401);
    }
    await service.close();
    // The service's own keys are in the database now: a sandbox would give its data to everyone.
    await expect(startService({ sandbox: true, database })).rejects.toThrow(/a service's own/);
  });

  test("a sandbox leaves its own database alone, too, once a service has written anything into it", async () => {
    const database = `sqlite:${join(createTemporaryHome(), "sandbox.db")}`;
    const { sandbox } = await openSandbox({ database });
    const { keys } = await sandbox.createAccount();
    await sandbox.close();
    const service = await serve({ database, host: "127.0.0.1", port: 0 });
    const paid = await request({ url: service.url, keys }, "POST /v1/payments", { body });
    expect(paid.status).toBe(201);
    await service.close();
    await expect(startService({ sandbox: true, database })).rejects.toThrow(/a service's own/);
  });

  test("a sandbox leaves the database of one that runs, or was killed, to a service with keys of its own", async () => {
    const database = `sqlite:${join(createTemporaryHome(), "sandbox.db")}`;
    await openSandbox({ database });
    const service = await startService({ database });
    await service.close();
    await expect(startService({ sandbox: true, database })).rejects.toThrow(/a service's own/);
  });

  test("a sandbox begins anew on the database of another one, and leaves a service's alone", async () => {
    const database = `sqlite:${join(createTemporaryHome(), "sandbox.db")}`;
    const { sandbox, client } = await openSandbox({ database });
    await client.payments.create(body);
    await sandbox.createAccount();
    await sandbox.close();
    const { client: later } = await openSandbox({ database });
    expect((await later.payments.list()).data).toEqual([]);

    const own = `sqlite:${join(createTemporaryHome(), "service.db")}`;
    const service = await startService({ database: own });
    const serviceClient = clientOf(service, service.keys.test);
    await serviceClient.payments.create(body);
    await service.close();
    await expect(startService({ sandbox: true, database: own })).rejects.toThrow(
      /would erase it. Nothing was changed/,
    );
  });
});

test("sheds no load: whatever is asked at once waits, and none of it is refused", async () => {
  const overload = {
    inFlight: 1,
    eventLoopDelayMs: -1,
    delayCountsAbove: -1,
    heapShare: 0,
    bytes: 2 * 1024 * 1024,
    sampleEveryMs: 1,
  };
  const settings = { host: "127.0.0.1", port: 0, database: "sqlite::memory:" };
  const sandbox = await serveSandbox(settings, { overload });
  openUntilFileEnds(async () => sandbox.closeAtOnce());
  const large = { ...body, metadata: Object.fromEntries(listLargeValues()) };
  const send = async (count: number) =>
    request(sandbox, count % 2 ? "GET /v1/payments?limit=100" : "POST /v1/payments", {
      ...(count % 2 === 0 && { body: large }),
    });
  const answers = await Promise.all(Array.from({ length: 40 }, async (_, count) => send(count)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
});

function listLargeValues() {
  return Array.from({ length: 20 }, (_, at) => [`key-${at}`, "x".repeat(500)] as const);
}

test("a sandbox ends also where its database was deleted before", async () => {
  const file = join(createTemporaryHome(), "sandbox.db");
  const { sandbox } = await openSandbox({ database: `sqlite:${file}` });
  rmSync(file);
  await sandbox.close();
  expect(existsSync(file)).toBe(false);
});

test("a move of the clock purges all that has expired, at once", async () => {
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "7" });
  const { id } = await client.payments.create(body);
  await client.payments.refund(id);
  const { did } = await sandbox.advance("40d");
  // Two idempotency records, requests and events each, and the refund's entry in the audit log.
  expect(did.purged).toBe(7);
  expect((await sandbox.advance("1d")).did.purged).toBe(0);
});

test("the link of a sandbox signs in any number of times, also after a reset, and no page names a command that cannot reach it", async () => {
  const { sandbox } = await openSandbox();
  let cookie = "";
  const signIn = async () => {
    const page = await fetch(sandbox.dashboardUrl);
    const html = await page.text();
    const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? "";
    const response = await fetch(new URL(action, sandbox.url), {
      method: "POST",
      redirect: "manual",
      headers: { origin: sandbox.url, "content-type": "application/x-www-form-urlencoded" },
    });
    cookie = response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    return [page.status, response.status, cookie !== ""];
  };
  const read = async (path: string) =>
    (await fetch(`${sandbox.url}/dashboard${path}`, { headers: { cookie } })).text();
  const signInPage = await read("/sign-in");
  expect(signInPage).toContain("payments sandbox");
  expect(signInPage).not.toMatch(/payments (?:dashboard|operators)/);
  expect(await signIn()).toEqual([200, 303, true]);
  expect(await signIn()).toEqual([200, 303, true]);
  await sandbox.reset();
  expect(await signIn()).toEqual([200, 303, true]);
  const keys = await read(`/${sandbox.account}/test/keys`);
  expect(keys).not.toContain("payments keys create");
  expect([keys.includes("keys yet"), keys.includes(sandbox.keys.test)]).toEqual([false, true]);
  const { account } = await sandbox.createAccount();
  expect(await signIn()).toEqual([200, 303, true]);
  const others = await read(`/${account.id}/test/keys`);
  expect([others.includes("Roll…"), others.includes(sandbox.keys.test)]).toEqual([true, false]);
  const payments = await read(`/${sandbox.account}/test/payments`);
  expect(payments).toContain(`payments login --sandbox --base-url`);
  expect(payments).not.toContain("Create a test key");
});

test("a session that is used stays one, however far the clock is moved between its uses", async () => {
  const { sandbox } = await openSandbox({ clock: "manual" });
  const page = await fetch(sandbox.dashboardUrl);
  const action = /<form method="post" action="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const signedIn = await fetch(new URL(action, sandbox.url), {
    method: "POST",
    redirect: "manual",
    headers: { origin: sandbox.url, "content-type": "application/x-www-form-urlencoded" },
  });
  const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const statuses = [];
  for (let use = 0; use < 3; use++) {
    await sandbox.advance("8h");
    const path = `/dashboard/${sandbox.account}/test/payments`;
    const response = await fetch(sandbox.url + path, { headers: { cookie }, redirect: "manual" });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([200, 200, 200]);
});

test("its metrics count the payments that were made in it", async () => {
  const { sandbox, client } = await openSandbox();
  await client.payments.create(body);
  const text = await (await fetch(`${sandbox.url}/metrics`)).text();
  expect(text).toMatch(/^payments_transitions_total\{[^}]*status="succeeded"[^}]*\} 1$/m);
});

test("serve has no control", async () => {
  const service = await startService();
  const { status, body: answered } = await request(service, "GET /sandbox/clock");
  expect([status, answered]).toMatchObject([404, { error: { code: "endpoint_not_found" } }]);
  const headers = { "sandbox-fault": "disconnect" };
  expect((await request(service, "GET /v1/payments", { headers })).status).toBe(200);
  await service.close();
});

test("pages, the dashboard's link and requests by its name follow the public URL, also after a reset", async () => {
  const publicUrl = "https://pay.example.com/sandbox";
  const { sandbox, client } = await openSandbox({ publicUrl });
  expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(sandbox.dashboardUrl).toMatch(/^https:\/\/pay\.example\.com\/sandbox\/dashboard\//);
  await sandbox.reset();
  const page = await client.payments.createHosted({ amount: 1, currency: "eur" });
  expect(page.redirect_url).toMatch(/^https:\/\/pay\.example\.com\/sandbox\/pay\//);
  expect((await client.checkout.pay(page, { testCard: "visa" })).status).toBe("succeeded");
  const reach = async (host: string) => {
    const sent = sendRequest(`${sandbox.url}/readyz`, { headers: { host } }).end();
    const [{ statusCode }] = (await once(sent, "response")) as [{ statusCode: number }];
    return statusCode;
  };
  expect([await reach("pay.example.com"), await reach("evil.example.com")]).toEqual([200, 400]);
});

test("signAt wall signs webhooks at the real time, however far the clock was moved", async () => {
  const receiver = await openRecordingReceiver();
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1", signAt: "wall" });
  await client.webhookEndpoints.create({ url: receiver.url("/hooks") });
  await sandbox.advance("40d");
  const before = Math.floor(Date.now() / 1000);
  await client.payments.create(body);
  await sandbox.advance("1s");
  const [arrival] = receiver.arrivals;
  expect(arrival?.at).toBeGreaterThanOrEqual(before);
  expect(arrival?.at).toBeLessThanOrEqual(Date.now() / 1000);
  expect(arrival?.event.created).toBe(1_800_000_000 + 40 * 86_400);
});
