import { Agent, request as httpRequest, type ClientRequest } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  defaultLoadLimits,
  shedLoad,
  type LoadLimits,
  type ShedReason,
} from "../../../src/service/http/shed-load.ts";
import type { Store } from "../../../src/service/service.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { openAppForTest, refusalOf } from "../../testkit/app/open-app.ts";
import { rawAnswer, rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const operations = {
  unreadyReason: async () => undefined,
  metrics: async () => ({ type: "text/plain", text: "" }),
};

/** A listening service that sheds load. Its store answers look-ups of payments only after `release`. */
async function openBlocked(
  limits?: Partial<LoadLimits>,
  store: (real: Store) => Partial<Store> = () => ({}),
) {
  const shed: ShedReason[] = [];
  const logLines: object[] = [];
  const log = (fields: object) => void logLines.push(fields);
  const released = Promise.withResolvers<void>();
  let waiting = 0;
  const opened = await openAppForTest({
    app: {
      operations,
      shedLoad: shedLoad(
        { log: { info: log, warn: log, error: log }, observe: (reason) => shed.push(reason) },
        limits,
      ),
    },
    store: (real) => ({
      ...real,
      findPayment: async (scope, id) => {
        waiting++;
        await released.promise;
        waiting--;
        return real.findPayment(scope, id);
      },
      ...store(real),
    }),
  });
  const url = await opened.app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => released.resolve());
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  onTestFinished(() => agent.destroy());
  const send = (key = opened.keys.test): ClientRequest =>
    httpRequest(`${url}/v1/payments/pay_x`, { agent, headers: { authorization: `Bearer ${key}` } })
      .on("error", () => {})
      .end();
  const createOtherKey = async () => {
    const { id: account } = await opened.service.createAccount({ name: "Books" });
    return (await opened.service.createKey({ account, mode: "test", name: "test" })).key;
  };
  const get = async (path: string) => rawAnswer(url, [`GET ${path} HTTP/1.1`, "Host: x"]);
  /** Sends requests that wait for the store, each of another account. */
  const fill = async (count: number) => {
    const requests: ClientRequest[] = [];
    for (let nth = 0; nth < count; nth++) requests.push(send(await createOtherKey()));
    await expect.poll(() => waiting).toBe(count);
    return requests;
  };
  const senders = { send, fill, createOtherKey, get };
  return {
    ...opened,
    ...senders,
    url,
    shed,
    logLines,
    release: released.resolve,
    waiting: () => waiting,
  };
}

async function readStatus(request: ClientRequest): Promise<number | undefined> {
  return new Promise((resolve) => {
    request.on("response", (response) => resolve(response.resume().statusCode));
  });
}

describe("a service with the maximum of requests in flight", () => {
  const full = 10;

  test("refuses the next request before it checks the key, and closes the connection", async () => {
    const service = await openBlocked({ inFlight: full });
    const answers = (await service.fill(full)).map(readStatus);

    const refused = await service.get("/v1/payments");
    expect(refusalOf(refused)).toEqual({ status: 503, code: "service_unavailable", param: null });
    expect(refused.headers).toMatchObject({ "retry-after": "1", connection: "close" });
    expect(service.shed).toEqual(["requests_in_flight"]);
    const page = await service.get("/pay/token");
    expect(page).toMatchObject({ status: 503, text: expect.stringContaining("<html") as unknown });
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect((await service.get(path)).status).toBe(200);
    }

    service.release();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([404]));
    expect((await service.get("/v1/payments")).status).toBe(401);
  });

  test("counts a request until its work is done, even if its client has left", async () => {
    const service = await openBlocked({ inFlight: full });
    const requests = await service.fill(full);
    for (const each of requests) each.destroy();
    await expect.poll(() => service.logged.length).toBe(full);
    expect((await service.get("/v1/payments")).status).toBe(503);
    service.release();
    await expect.poll(async () => (await service.get("/v1/payments")).status).toBe(401);
  });

  test.each([
    ["POST", "/v1/payments"],
    ["DELETE", "/v1/webhook_endpoints/we_x"],
  ])("counts no %s whose client leaves before its body is read", async (method, path) => {
    const known = Promise.withResolvers<void>();
    let lookUps = 0;
    const service = await openBlocked({ inFlight: full }, (real) => ({
      findKey: async (...question) => {
        lookUps++;
        await known.promise;
        return await real.findKey(...question);
      },
    }));
    const clients: ClientRequest[] = [];
    for (let nth = 0; nth < full; nth++) {
      const authorization = `Bearer ${await service.createOtherKey()}`;
      const headers = { authorization, "content-type": "application/json" };
      const client = httpRequest(`${service.url}${path}`, { method, headers });
      clients.push(client.on("error", () => {}).end(JSON.stringify(bodyWith({}))));
    }
    await expect.poll(() => lookUps).toBe(full);
    for (const client of clients) client.destroy();
    await expect.poll(() => service.logged.length).toBe(full);
    known.resolve();
    await expect.poll(async () => (await service.get("/v1/payments")).status).toBe(401);
  });

  test("ignores further requests on the connection of a refused one", async () => {
    const { url, shed } = await openBlocked({ inFlight: 0 });
    const connection = await rawConnection(url);
    onTestFinished(connection.close);
    connection.send("GET /v1/payments HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
    expect((await connection.answer()).status).toBe(503);
    expect(await connection.ended).toBe("");
    expect(shed).toEqual(["requests_in_flight"]);
  });

  test("logs refusals at most once a second", async () => {
    const service = await openBlocked({ inFlight: 0 });
    const startMs = performance.now();
    for (let calls = 0; calls < 20; calls++) await service.get("/v1/payments");
    const seconds = Math.ceil((performance.now() - startMs) / 1000);
    expect(service.shed).toHaveLength(20);
    expect(service.logLines.length).toBeLessThanOrEqual(seconds);
    expect(service.logLines[0]).toEqual({ reason: "requests_in_flight", refused: 1, in_flight: 0 });
    expect(service.logged).toEqual([]);
  });
});

/** Blocks this process's event loop. */
async function blockEventLoop(turns: number, eachMs: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const untilMs = performance.now() + eachMs;
    while (performance.now() < untilMs);
    await nextTurn();
  }
}

describe("a service with a long event loop delay", () => {
  const eventLoopDelayMs = 200;
  const limits = { eventLoopDelayMs, sampleEveryMs: 100 };
  const openWith = async (inFlight: number) => {
    const service = await openBlocked(limits);
    await service.fill(inFlight);
    const status = async () => (await service.get("/v1/payments")).status;
    await expect.poll(status).toBe(401);
    const readStatusWhenBlocked = async () => {
      await blockEventLoop(3, eventLoopDelayMs + 100);
      return await status();
    };
    return { ...service, status, readStatusWhenBlocked };
  };

  test("and more than 8 requests in flight refuses others until the delay is short", async () => {
    const { status, readStatusWhenBlocked, shed, get } = await openWith(9);
    await expect.poll(readStatusWhenBlocked).toBe(503);
    expect(new Set(shed)).toEqual(new Set(["event_loop_delay"]));
    expect((await get("/healthz")).status).toBe(200);
    await expect.poll(status).toBe(401);
  });

  test("takes a request beside up to 8 in flight: it is not they that made the loop late", async () => {
    const { send, readStatusWhenBlocked, release, shed } = await openWith(8);
    for (let times = 0; times < 5; times++) expect(await readStatusWhenBlocked()).toBe(401);
    await blockEventLoop(3, eventLoopDelayMs + 100);
    const answer = readStatus(send());
    release();
    expect(await answer).toBe(404); // it is checked a second time when its key is known
    expect(shed).toEqual([]);
  });
});

test("the default limits are those of the documentation", async () => {
  expect(defaultLoadLimits).toMatchObject({
    inFlight: 1_000,
    eventLoopDelayMs: 1_000,
    delayCountsAbove: 8,
    heapShare: 0.8,
  });
  // On a busy machine, thousands of requests at once block the event loop, too.
  const { call, createOtherKey, waiting, release } = await openBlocked({
    eventLoopDelayMs: Infinity,
  });
  const responses: Promise<{ status: number }>[] = [];
  // One account leaves a quarter to others, and so does each of these.
  let before = 0;
  for (const inFlight of [750, 938, 985, 997, 1_000]) {
    const headers = { authorization: `Bearer ${await createOtherKey()}` };
    const ofAccount = Array.from({ length: inFlight - before + 1 }, async () =>
      call({ path: "/v1/payments/pay_x", key: null, headers }),
    );
    expect((await Promise.race(ofAccount)).status).toBe(503);
    await expect.poll(waiting).toBe(inFlight);
    responses.push(...ofAccount);
    before = inFlight;
  }
  release();
  const statuses = (await Promise.all(responses)).map((answer) => answer.status);
  expect(statuses.filter((status) => status === 404)).toHaveLength(1_000);
});

describe("an account with its maximum of requests in flight", () => {
  test("is refused, while other accounts and pages are served", async () => {
    const { send, createOtherKey, get, waiting, release, shed } = await openBlocked({
      inFlight: 10,
    });
    const another = await createOtherKey();
    const responses = Array.from({ length: 10 }, async () => readStatus(send()));
    await expect.poll(waiting).toBe(8);
    await expect.poll(() => shed).toEqual(["requests_in_flight", "requests_in_flight"]);
    expect((await get("/pay/token")).status).toBe(404);
    const others = readStatus(send(another));
    await expect.poll(waiting).toBe(9);
    release();
    const statuses = await Promise.all(responses);
    expect(statuses.filter((status) => status === 503)).toHaveLength(2);
    expect(await others).toBe(404);
    expect(await readStatus(send())).toBe(404);
  });

  test("is served again when its requests are answered, those with a body, too", async () => {
    const { call, waiting, release, shed } = await openBlocked({ inFlight: 4 });
    const responses = Array.from({ length: 3 }, async () => call({ path: "/v1/payments/pay_x" }));
    await expect.poll(waiting).toBe(3);
    expect((await call({ method: "POST", body: {} })).status).toBe(503);
    expect(shed).toHaveLength(1);
    release();
    await Promise.all(responses);
    for (let times = 0; times < 5; times++)
      expect((await call({ method: "POST", body: {} })).status).toBe(400);
  });
});
