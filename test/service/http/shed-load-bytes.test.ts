import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, onTestFinished } from "vitest";
import { shedLoad, type ShedReason } from "../../../src/service/http/shed-load.ts";
import type { Listed } from "../../../src/service/database/listing.ts";
import { openAppForTest } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const MiB = 1024 * 1024;

/** A service with a budget in bytes, whose lists come from `list`. */
async function openWithBudget(bytes: number, list: () => Promise<Listed<string>>) {
  const shed: ShedReason[] = [];
  const operations = {
    unreadyReason: async () => undefined,
    metrics: async () => ({ type: "text/plain", text: "" }),
  };
  let admitted = 0;
  const opened = await openAppForTest({
    app: {
      operations,
      shedLoad: shedLoad({ observe: (reason) => shed.push(reason) }, { bytes }),
      limitRate: () => void admitted++,
    },
    store: (real) => ({ ...real, listPayments: list }),
  });
  const get = async (path: string) => opened.call({ path });
  return { ...opened, get, shed, admitted: () => admitted };
}

test("while an unread response uses up the budget, everything except probes is refused", async () => {
  const page = { items: [`"${"x".repeat(16 * MiB)}"`], hasMore: false };
  const { app, keys, get, shed } = await openWithBudget(2 * MiB, async () => page);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const unread = await rawConnection(url);
  onTestFinished(unread.close);
  unread.socket.pause();
  unread.send(`GET /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.test}\r\n\r\n`);
  await expect.poll(async () => (await get("/docs/errors")).status).toBe(503);
  expect((await get("/v1/payments")).status).toBe(503);
  expect(new Set(shed)).toEqual(new Set(["bytes_in_flight"]));
  expect((await get("/healthz")).status).toBe(200);
  unread.close();
  await expect.poll(async () => (await get("/docs/errors")).status).toBe(200);
  expect((await get("/v1/payments")).status).toBe(200);
});

test("while a list uses up the budget, another large list waits and is then refused, and other requests are served", async () => {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  let reading = 0;
  const list = async () => {
    reading++;
    await gate;
    return { items: [], hasMore: false };
  };
  const { call, get, shed } = await openWithBudget(1.5 * MiB, list);
  const first = get("/v1/payments?limit=100");
  await expect.poll(() => reading).toBe(1);
  const second = get("/v1/payments?limit=100");
  const small = get("/v1/payments?limit=1");
  await expect.poll(() => reading).toBe(2);
  expect((await call({ method: "POST", body: {} })).status).toBe(400);
  expect(await second).toMatchObject({
    status: 503,
    headers: { "retry-after": "1", connection: "close" },
  });
  expect(shed).toEqual(["bytes_in_flight"]);
  release();
  expect([(await first).status, (await small).status]).toEqual([200, 200]);
  expect((await get("/v1/payments?limit=100")).status).toBe(200);
  expect(reading).toBe(3);
});

const noPayments = async () => ({ items: [], hasMore: false });

test.each(["Content-Length: 65536", "Transfer-Encoding: chunked"])(
  "while large bodies in transit use up their half of the budget (%s), other large bodies are refused, and other requests are served",
  async (length) => {
    const { app, keys, call, admitted } = await openWithBudget(150 * 1024, noPayments);
    const sending = await rawConnection(await app.listen({ host: "127.0.0.1", port: 0 }));
    onTestFinished(sending.close);
    const type = "Content-Type: application/json";
    const head = `POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.test}\r\n${type}`;
    sending.send(`${head}\r\n${length}\r\n\r\n`);
    await expect.poll(admitted).toBe(1);
    await nextTurn();
    const body = { description: "x".repeat(60_000) };
    const sendLargeBody = async () => (await call({ method: "POST", body })).status;
    expect(await sendLargeBody()).toBe(503);
    expect((await call({ method: "POST", body: {} })).status).toBe(400);
    expect((await call({ path: "/v1/payments?limit=1" })).status).toBe(200);
    sending.close();
    await expect.poll(sendLargeBody).toBe(400);
  },
);

test("bodies that do not arrive leave half of the budget to all else: other accounts read their largest lists", async () => {
  const { app, keys, service, call, admitted } = await openWithBudget(4 * MiB, noPayments);
  const { id } = await service.createAccount({ name: "Other" });
  const other = await service.createKey({ account: id, mode: "test", name: "other" });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const head = `POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.test}`;
  const sending = await Promise.all(Array.from({ length: 48 }, async () => rawConnection(url)));
  const type = "Content-Type: application/json";
  for (const { send } of sending) send(`${head}\r\n${type}\r\nContent-Length: 65536\r\n\r\n`);
  await expect.poll(admitted).toBe(sending.length);
  await nextTurn();
  const headers = { authorization: `Bearer ${other.key}` };
  const list = await call({ path: "/v1/payments?limit=100", key: null, headers });
  expect(list.status).toBe(200);
  sending.forEach(({ close }) => close());
});

test("lists that wait for an account's own share keep those of other accounts waiting for nothing", async () => {
  const page = { items: [`"${"x".repeat(16 * MiB)}"`], hasMore: false };
  let isLarge = true;
  const list = async () => (isLarge ? page : { items: [], hasMore: false });
  const { app, keys, service, call, admitted } = await openWithBudget(20 * MiB, list);
  const { id } = await service.createAccount({ name: "Other" });
  const other = await service.createKey({ account: id, mode: "test", name: "other" });
  const unread = await rawConnection(await app.listen({ host: "127.0.0.1", port: 0 }));
  onTestFinished(unread.close);
  unread.socket.pause();
  unread.send(`GET /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.test}\r\n\r\n`);
  await expect.poll(admitted).toBe(1);
  await nextTurn();
  isLarge = false;
  const waiting = Array.from({ length: 130 }, async () => call({ path: "/v1/payments?limit=1" }));
  await expect.poll(admitted).toBe(131);
  const headers = { authorization: `Bearer ${other.key}` };
  const startMs = performance.now();
  const answer = await call({ path: "/v1/payments?limit=1", key: null, headers });
  expect(answer.status).toBe(200);
  expect(performance.now() - startMs).toBeLessThan(1_000);
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([503]));
});
