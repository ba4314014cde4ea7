import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { PaymentList } from "../../../src/contract/list-payments.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { openAppForTest } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

/** A service whose lists of pending payments and whose writes wait for `release`. */
async function openSlowService() {
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  let waiting = 0;
  let begun = 0;
  const pass = async () => {
    begun++;
    waiting++;
    await gate;
    waiting--;
  };
  const opened = await openAppForTest({
    store: (real) => ({
      ...real,
      listPayments: async (scope, page) => {
        if (page.statuses?.[0] === "pending") await pass();
        return real.listPayments(scope, page);
      },
      createPayment: async (write) => {
        await pass();
        return real.createPayment(write);
      },
    }),
  });
  const url = await opened.app.listen({ host: "127.0.0.1", port: 0 });
  const connection = await rawConnection(url);
  onTestFinished(() => {
    release();
    connection.close();
  });
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${opened.keys.test}\r\n`;
  return {
    ...opened,
    connection,
    release,
    fast: `GET /v1/payments ${head}\r\n`,
    slow: `GET /v1/payments?status=pending ${head}\r\n`,
    unknown: `GET /v1/payments/pay_x ${head}\r\n`,
    head,
    begun: () => begun,
    untilWaiting: async () => expect.poll(() => waiting).toBeGreaterThan(0),
  };
}

test("pipelined requests are answered in order, even if the first is slow", async () => {
  const { connection, slow, fast, unknown, release, untilWaiting } = await openSlowService();
  connection.send(slow + fast + unknown);
  await untilWaiting();
  release();
  const answers = [await connection.answer(), await connection.answer(), await connection.answer()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  const ids = answers.map(({ headers }) => headers["service-request-id"]);
  expect(new Set(ids).size).toBe(3);
});

test.each([
  ["garbage", "garbage\r\n\r\n", 400],
  ["headers that are too large", `GET /${"x".repeat(17_000)} HTTP/1.1\r\n\r\n`, 431],
])(
  "%s after a request in progress: it gets its response first, and then the connection ends with an error",
  async (_, broken, status) => {
    const { connection, slow, release, untilWaiting } = await openSlowService();
    connection.send(slow);
    await untilWaiting();
    connection.send(broken);
    connection.send(broken);
    await nextTurn();
    release();
    expect((await connection.answer()).status).toBe(200);
    const last = await connection.answer();
    expect(last).toMatchObject({ status, headers: { connection: "close" } });
    expect(last.headers["service-request-id"]).toMatch(/^req_/);
    expect(await connection.ended).toBe("");
  },
);

test("a tunnel after a request in progress is refused once that has its response", async () => {
  const { connection, slow, release, untilWaiting } = await openSlowService();
  connection.send(`${slow}CONNECT shop.example:443 HTTP/1.1\r\nHost: x\r\n\r\n`);
  await untilWaiting();
  release();
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(400);
  expect(await connection.ended).toBe("");
});

test("a request whose length is one too small gets its response, and so does the one before it", async () => {
  const { connection, slow, head, release, untilWaiting } = await openSlowService();
  const body = JSON.stringify(bodyWith({}));
  const type = "Content-Type: application/json";
  const cut = `POST /v1/payments ${head}${type}\r\nContent-Length: ${body.length - 1}\r\n\r\n${body}`;
  connection.send(`${slow}${cut}\r\n\r\n`);
  await untilWaiting();
  release();
  expect((await connection.answer()).status).toBe(200);
  const refused = await connection.answer();
  expect(refused).toMatchObject({ status: 400, headers: { connection: "close" } });
  expect(refused.text).toContain("invalid_json");
  expect(await connection.ended).toBe("");
});

test("a path with a wrong encoding is answered in its turn", async () => {
  const { connection, slow, head, release, untilWaiting } = await openSlowService();
  connection.send(`${slow}GET /v1/%zz ${head}\r\n`);
  await untilWaiting();
  release();
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(400);
});

test("a payment is stored even if its connection is cut, and a retry with its key returns it", async () => {
  const { connection, head, call, release, untilWaiting } = await openSlowService();
  const body = JSON.stringify(bodyWith({}));
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nIdempotency-Key: k\r\n`;
  connection.send(`POST /v1/payments ${head}${headers}\r\n${body}`);
  await untilWaiting();
  connection.close();
  expect(await connection.ended).toBe("");
  release();
  const retry = await call({ method: "POST", headers: { "idempotency-key": "k" }, body });
  expect(retry.status).toBe(201);
  expect(retry.headers["idempotent-replayed"]).toBe("true");
  const list = JSON.parse((await call({})).text) as PaymentList;
  expect(list.data).toHaveLength(1);
});

test("the second of two requests is handled after the first response", async () => {
  const { connection, slow, release, untilWaiting, begun } = await openSlowService();
  connection.send(slow + slow);
  await untilWaiting();
  expect(begun()).toBe(1);
  release();
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(200);
  expect(begun()).toBe(2);
});

test("a connection with too many queued requests is cut, and none of them is handled", async () => {
  const { connection, slow, call, untilWaiting, begun } = await openSlowService();
  connection.send(slow);
  await untilWaiting();
  connection.send(slow.repeat(1_000));
  expect(await connection.ended).toBe("");
  expect(begun()).toBe(1);
  expect((await call({})).status).toBe(200); // others are served
});

test("a queued request counts with its body, which arrives before it is read", async () => {
  const { connection, slow, head, untilWaiting, begun } = await openSlowService();
  connection.send(slow);
  await untilWaiting();
  const body = " ".repeat(60_000);
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  connection.send(`POST /v1/payments ${head}${headers}\r\n${body}`.repeat(20));
  expect(await connection.ended).toBe("");
  expect(begun()).toBe(1);
});

const newConnections = 80; // fewer than the turns for which requests are deferred

test("waiting connections are accepted before requests are handled", async () => {
  const { app } = await openAppForTest();
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const busy = await rawConnection(url);
  onTestFinished(busy.close);
  const accepted: unknown[] = [];
  let answeredMeanwhile = 0;
  app.server.on("connection", (socket) => accepted.push(socket));

  // The system queues them at once; the event loop accepts one a turn.
  const connecting = Array.from({ length: newConnections }, async () => rawConnection(url));
  onTestFinished(async () => {
    for (const connection of await Promise.all(connecting)) connection.close();
  });
  while (accepted.length < newConnections) {
    busy.send("GET /docs/nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await busy.answer()).status).toBe(404);
    if (accepted.length > 0 && accepted.length < newConnections) answeredMeanwhile++;
  }
  expect(answeredMeanwhile).toBeLessThan(newConnections / 10);
});

test("requests are handled while new connections keep coming", async () => {
  const { app } = await openAppForTest();
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const busy = await rawConnection(url);
  onTestFinished(busy.close);
  const over = new AbortController();
  const coming = (async () => {
    while (!over.signal.aborted) {
      void rawConnection(url).then((connection) => connection.close());
      await nextTurn();
    }
  })();
  for (let count = 0; count < 5; count++) {
    busy.send("GET /docs/nothing HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await busy.answer()).status).toBe(404);
  }
  over.abort();
  await coming;
});
