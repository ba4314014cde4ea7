import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, onTestFinished } from "vitest";
import { createByteBudget } from "../../../src/service/http/byte-budget.ts";
import { shedLoad, type ShedReason } from "../../../src/service/http/shed-load.ts";
import type { Listed } from "../../../src/service/database/list-range.ts";
import { openAppForTest } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const MiB = 1024 * 1024;

/**
 * A budget, and the requests that were admitted or refused so far. A request's owner is the part of its name before a
 * dash.
 */
function openBudget(limit: number, isAccepting = () => false) {
  const budget = createByteBudget(limit, isAccepting);
  const admitted: string[] = [];
  const refused: string[] = [];
  const reserve = (name: string, bytes: number, response = new EventEmitter() as ServerResponse) =>
    void budget
      .reserve(bytes, parseOwner(name), response)
      .then((hasRoom) => (hasRoom ? admitted : refused).push(name));
  const change = (bytes: number) => budget.change(bytes, "other");
  const settle = (name: string, reserved: number, bytes: number) =>
    budget.settle(reserved, bytes, parseOwner(name));
  return { budget, admitted, refused, reserve, change, settle };
}

function parseOwner(name: string): string {
  return name.split("-", 1)[0] ?? "";
}

const waitTurns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

test("requests wait until there is budget, and the smallest is admitted first", async () => {
  const { admitted, reserve, change, settle } = openBudget(4 * MiB);
  change(3.75 * MiB);
  reserve("large", MiB);
  reserve("small", MiB / 2 + 1);
  reserve("smaller", MiB / 2);
  await waitTurns(1);
  expect(admitted).toEqual([]);
  change(-1.25 * MiB);
  await waitTurns(1);
  expect(admitted).toEqual(["smaller", "small"]);
  settle("smaller", MiB / 2, 0);
  settle("small", MiB / 2 + 1, 0); // their responses were empty
  await waitTurns(1);
  expect(admitted).toEqual(["smaller", "small"]);
  change(-MiB / 2);
  await waitTurns(1);
  expect(admitted).toEqual(["smaller", "small", "large"]);
});

test("the largest requests leave a quarter to all others", async () => {
  const { budget, admitted, reserve } = openBudget(4 * MiB);
  for (const name of ["a", "b", "c", "d"]) reserve(name, MiB);
  await waitTurns(1);
  expect(admitted).toEqual(["a", "b", "c"]);
  reserve("small", MiB - 1);
  await waitTurns(1);
  expect(admitted).toEqual(["a", "b", "c", "small"]);
  expect(budget.hasRoomFor(1)).toBe(true);
  expect(budget.hasRoomFor(2)).toBe(false);
});

test("one owner leaves a quarter of the budget to others", async () => {
  const { budget, admitted, reserve } = openBudget(4 * MiB);
  for (let nth = 1; nth <= 8; nth++) reserve(`a-${nth}`, MiB / 2);
  await waitTurns(1);
  expect(admitted).toHaveLength(6);
  expect(budget.hasRoomFor(MiB / 2)).toBe(true);
  reserve("b", MiB / 2);
  await waitTurns(1);
  expect(admitted.slice(6)).toEqual(["b"]);

  const { budget: bodies } = openBudget(4 * MiB);
  bodies.change(1.5 * MiB, "a");
  expect(["a", "b"].map((owner) => bodies.hasRoomForBody(1, owner))).toEqual([false, true]);
});

test("of waiting requests, the one whose owner would use the fewest bytes is admitted first", async () => {
  const { budget, admitted, reserve, change } = openBudget(4 * MiB);
  budget.change(MiB, "a");
  change(2.75 * MiB);
  reserve("a-small", MiB / 2);
  reserve("b-large", MiB - 1);
  reserve("b-later", MiB / 2);
  await waitTurns(1);
  change(-2.75 * MiB);
  await waitTurns(1);
  expect(admitted).toEqual(["b-later", "b-large", "a-small"]);
});

test("no more than 8 MiB are reserved at once, however large the budget is", async () => {
  const { admitted, reserve, settle } = openBudget(1024 * MiB);
  for (let nth = 1; nth <= 10; nth++) reserve(String(nth), MiB);
  await waitTurns(1);
  expect(admitted).toHaveLength(6);
  settle("1", MiB, MiB);
  await waitTurns(1);
  expect(admitted).toHaveLength(7);
});

test("a request whose client has left is refused, and so is the largest of more than a thousand", async () => {
  const { admitted, refused, reserve, change } = openBudget(MiB);
  change(MiB);
  const leaving = new EventEmitter() as ServerResponse;
  reserve("gone", 1, leaving);
  for (let nth = 0; nth < 999; nth++) reserve("a-waiting", 2);
  leaving.emit("close");
  await waitTurns(1);
  expect(refused).toEqual(["gone"]);
  reserve("a-large", 4);
  reserve("a-late", 3);
  await waitTurns(1);
  expect(refused).toEqual(["gone", "a-large"]);
  change(-MiB);
  await waitTurns(1);
  expect(admitted).toHaveLength(1_000);
});

test("of more than a thousand waiting requests, the largest of the owner with the largest queue is refused", async () => {
  const { refused, reserve, change } = openBudget(MiB);
  change(MiB);
  for (let nth = 0; nth < 999; nth++) reserve("a-small", 2);
  reserve("a-large", 3);
  reserve("b", MiB);
  await waitTurns(1);
  reserve("c", 4);
  await waitTurns(1);
  expect(refused).toEqual(["b", "a-large"]);
});

test("new connections come before waiting requests, for a limited time", async () => {
  let accepted = 0;
  const { admitted, reserve, change } = openBudget(MiB, () => accepted-- > 0);
  change(MiB);
  reserve("waiting", MiB / 2);
  accepted = 3;
  change(-MiB);
  await waitTurns(1);
  expect(admitted).toEqual([]);
  await waitTurns(3);
  expect(admitted).toEqual(["waiting"]);

  accepted = Infinity; // endless connections must not block waiting requests
  change(MiB / 2);
  reserve("also waiting", MiB / 2);
  change(-MiB / 2);
  await waitTurns(200);
  expect(admitted).toEqual(["waiting", "also waiting"]);
});

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
