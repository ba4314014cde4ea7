import { beforeAll, describe, expect, test } from "vitest";
import type { RunningSandbox } from "../../../src/service/server/start-service.ts";
import {
  body,
  clientOf,
  openSandbox,
  request,
  visa,
} from "../../testkit/client/running-service.ts";

// One sandbox for all, at the same time: each test has an account of its own.

let sandbox: RunningSandbox;
beforeAll(async () => {
  ({ sandbox } = await openSandbox());
});

const create = "POST /v1/payments";

async function openAccount() {
  const account = await sandbox.createAccount();
  const { url } = sandbox;
  return { account: { ...account, url }, client: clientOf(sandbox, account.keys.test) };
}

async function countPayments(account: Parameters<typeof request>[0]): Promise<number> {
  const { body: list } = await request(account, "GET /v1/payments");
  return (list as { data: unknown[] }).data.length;
}

describe.concurrent("a fault of a request", () => {
  test("lost_answer does the work, and a retry with the same key gets its answer", async () => {
    const { account } = await openAccount();
    account.fault({ on: create, do: "lost_answer" });
    const headers = { "idempotency-key": "one" };
    expect((await request(account, create, { body, headers })).status).toBe("lost");
    const again = await request(account, create, { body, headers });
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await countPayments(account)).toBe(1);
    expect(account.requests().filter(({ method }) => method === "POST")).toEqual([
      expect.objectContaining({ status: 201, replayed: false, fault: "lost_answer" }),
      expect.objectContaining({ status: 201, replayed: true, fault: null }),
    ]);
  });

  test("lost_answer is retried by the client, and takes effect once", async () => {
    const { account } = await openAccount();
    const client = clientOf(sandbox, account.keys.test, 3);
    account.fault({ on: create, do: "lost_answer", times: 2 });
    const payment = await client.payments.create(body);
    expect(account.requests().map(({ replayed }) => replayed)).toEqual([false, true, true]);
    expect(await countPayments(account)).toBe(1);
    expect(payment.status).toBe("succeeded");
  });

  test("disconnect does nothing", async () => {
    const { account } = await openAccount();
    account.fault({ on: create, do: "disconnect" });
    expect((await request(account, create, { body })).status).toBe("lost");
    expect(await countPayments(account)).toBe(0);
    expect(account.requests()[0]).toMatchObject({ status: null, fault: "disconnect" });
  });

  test.each([
    [429, "rate_limit_exceeded"],
    [500, "internal_error"],
    [503, "service_unavailable"],
  ] as const)("status %d answers as the service would, and does nothing", async (status, code) => {
    const { account } = await openAccount();
    account.fault({ on: "*", do: "status", status });
    const refused = await request(account, create, { body });
    expect(refused).toMatchObject({ status, body: { error: { code } } });
    expect(refused.headers.get("retry-after")).toBe(status === 500 ? null : "1");
    expect(await countPayments(account)).toBe(0);
  });

  test("in_use answers 409, and does nothing", async () => {
    const { account } = await openAccount();
    account.fault({ on: create, do: "in_use" });
    const refused = await request(account, create, { body });
    expect(refused).toMatchObject({
      status: 409,
      body: { error: { code: "idempotency_key_in_use" } },
    });
    expect(await countPayments(account)).toBe(0);
  });

  test("delay answers later", async () => {
    const { account } = await openAccount();
    account.fault({ on: create, do: "delay", for: "200ms" });
    const startedMs = performance.now();
    expect((await request(account, create, { body })).status).toBe(201);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(199);
  });

  test("delay holds up no other request", async ({ expect: expectHere }) => {
    const { account } = await openAccount();
    account.fault({ on: create, do: "delay", for: "10m" });
    const client = new AbortController();
    const delayed = request(account, create, { body, signal: client.signal });
    await expectHere.poll(() => account.requests()).toHaveLength(1);
    expect((await request(account, "GET /v1/account")).status).toBe(200);
    client.abort();
    expect((await delayed).status).toBe("lost");
  });

  test("strikes `times` requests after letting `after` pass, whatever their query and id", async () => {
    const { account, client } = await openAccount();
    const { id } = await client.payments.create(body);
    account.fault({ on: "GET /v1/payments/{id}", do: "status", status: 500, after: 1, times: 2 });
    const statuses = [];
    for (const path of [id, "pay_1", id, id]) {
      statuses.push((await request(account, `GET /v1/payments/${path}`)).status);
      await request(account, "GET /v1/payments?limit=1"); // another endpoint
    }
    expect(statuses).toEqual([200, 500, 500, 200]);
    expect(account.faults()).toEqual([
      { on: "GET /v1/payments/{id}", do: "status", status: 500, after: 1, times: 2, struck: 2 },
    ]);
    account.clearFaults();
    expect(account.faults()).toEqual([]);
  });

  test("strikes a HEAD as it would its GET, and is not used up by it", async () => {
    const { account } = await openAccount();
    account.fault({ on: "GET /v1/payments", do: "status", status: 503 });
    const statusOf = async (target: string) => (await request(account, target)).status;
    expect(await statusOf("HEAD /v1/payments")).toBe(503);
    expect(await statusOf("GET /v1/payments")).toBe(503);
    expect(await statusOf("HEAD /v1/payments")).toBe(200);
  });

  test("makes room for another one once it has struck; 100 may have yet to strike", async () => {
    const { account } = await openAccount();
    account.fault({ on: "GET /v1/account", do: "status", status: 500 });
    const setNext = () => account.fault({ on: "*", do: "disconnect" });
    for (let count = 1; count < 100; count++) setNext();
    expect(setNext).toThrow(/at most 100 faults/);
    expect((await request(account, "GET /v1/account")).status).toBe(500);
    setNext();
    expect(account.faults().map(({ on }) => on)).toEqual(Array(100).fill("*"));
    expect(setNext).toThrow(/at most 100 faults/);
  });

  test("of one account strikes no other", async () => {
    const { account } = await openAccount();
    const { account: other } = await openAccount();
    other.fault({ on: "*", do: "disconnect" });
    expect((await request(account, create, { body })).status).toBe(201);
    const { test: key } = other.keys;
    expect((await request(account, create, { body, key })).status).toBe("lost");
    expect(other.requests()).toHaveLength(1);
    expect(account.requests()).toHaveLength(1);
  });

  test.each([
    ["lost_answer", "lost", 1],
    ["disconnect", "lost", 0],
    ["in_use", 409, 0],
    ["status=503", 503, 0],
    ["delay=10ms", 201, 1],
  ] as const)("of a single request: Sandbox-Fault: %s", async (fault, status, payments) => {
    const { account } = await openAccount();
    const headers = { "sandbox-fault": fault };
    expect((await request(account, create, { body, headers })).status).toBe(status);
    expect(await countPayments(account)).toBe(payments);
  });

  test.each(["", "lost", "delay", "delay=0s", "delay=11m", "status=404", "in_use=1", "decline"])(
    "that is unknown is 400: Sandbox-Fault: %j",
    async (fault) => {
      const { account } = await openAccount();
      const headers = { "sandbox-fault": fault };
      const refused = await request(account, create, { body, headers });
      expect(refused).toMatchObject({ status: 400, body: { error: { param: "Sandbox-Fault" } } });
      expect(await countPayments(account)).toBe(0);
    },
  );
});

describe.concurrent("the journal", () => {
  test("has a request that is refused before any hook sees it, such as one with a malformed path", async () => {
    const { account } = await openAccount();
    expect((await request(account, "GET /v1/payments/%zz")).status).toBe(400);
    expect(account.requests()).toMatchObject([{ path: "/v1/payments/…", status: 400 }]);
  });

  test("holds what was refused, and no card number", async () => {
    const { account } = await openAccount();
    const holder = { ...visa, holder_name: "Ada" };
    const description = "4242 4242 4242 4242";
    await request(account, create, {
      body: { ...body, card: holder, description, x4242424242424242: 1 },
    });
    await request(account, "GET /v1/nothing");
    await request(account, create, { body, headers: { "idempotency-key": "4242424242424242" } });
    await request(account, "GET /v1/payments", { key: "svc_test_sk_wrong" });
    expect(account.requests().map(({ path, status }) => [path, status])).toEqual([
      ["/v1/payments", 400],
      ["/v1/nothing", 404],
      ["/v1/payments", 400],
    ]);
    expect(JSON.stringify(account.requests())).not.toMatch(/4242.?4242|"123"/);
    expect(account.requests()[0]?.body).toMatchObject({ amount: 4999, card: { number: "…4242" } });
  });

  test("has U+FFFD for a lone surrogate of a body, which strict readers refuse", async () => {
    const { account } = await openAccount();
    const lone = { description: "a\uD800", metadata: { "\uDC00": "b" } };
    expect((await request(account, create, { body: lone })).status).toBe(400);
    const answer = await fetch(`${sandbox.url}/sandbox/requests`, {
      headers: { authorization: `Bearer ${account.keys.test}` },
    });
    const json = await answer.text();
    expect(json).not.toContain("\\ud");
    expect(JSON.parse(json)).toMatchObject({
      data: [{ body: { description: "a\uFFFD", metadata: { "\uFFFD": "b" } } }],
    });
  });

  test("masks secrets in paths and keys as the log of requests does", async () => {
    const { account } = await openAccount();
    const [spaced, split] = ["4242_4242_4242_4242", "4242/4242/4242/4242"];
    await request(account, `GET /v1/payments/${spaced}`);
    await request(account, `GET /v1/payments/${split}`);
    const key = `svc_live_sk_${"a1".repeat(21)}b`;
    await request(account, create, { body, headers: { "idempotency-key": key } });
    expect(account.requests().map(({ path }) => path)).toEqual([
      "/v1/payments/…",
      "/v1/payments/…/…/…/…",
      "/v1/payments",
    ]);
    expect(JSON.stringify(account.requests())).not.toContain(key);
  });

  test("holds the last 1,000 requests", async () => {
    const { account } = await openAccount();
    for (let count = 0; count < 1_003; count++) {
      await request(account, `GET /v1/payments/pay_${count}`);
    }
    const requests = account.requests();
    expect(requests).toHaveLength(1_000);
    expect(requests[0]?.path).toBe("/v1/payments/pay_3");
  });
});
