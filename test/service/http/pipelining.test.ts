import { expect, onTestFinished, test } from "vitest";
import type { PaymentList } from "../../../src/contract/list-object.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { openAppForTest } from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-connection.ts";

/** A service whose lists of pending payments and whose writes wait for `release`. */
async function slowService() {
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
        if (page.status === "pending") await pass();
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

test("requests sent together are answered in their order, also when the first one is slow", async () => {
  const { connection, slow, fast, unknown, release, untilWaiting } = await slowService();
  connection.send(slow + fast + unknown);
  await untilWaiting();
  release();
  const answers = [await connection.answer(), await connection.answer(), await connection.answer()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  const ids = answers.map(({ headers }) => headers["service-request-id"]);
  expect(new Set(ids).size).toBe(3);
});

test("garbage behind a request that waits for its answer gets no answer in its place", async () => {
  const { connection, slow, release, untilWaiting } = await slowService();
  connection.send(slow);
  await untilWaiting();
  connection.send("garbage\r\n\r\n");
  expect(await connection.ended).toBe("");
  release();
});

test("nor does garbage behind the second of two, once the first was answered", async () => {
  const { connection, fast, slow, release, untilWaiting } = await slowService();
  connection.send(fast + slow);
  expect((await connection.answer()).status).toBe(200);
  await untilWaiting();
  connection.send("garbage\r\n\r\n");
  expect(await connection.ended).toBe("");
  release();
});

test("nor does a head that is too large", async () => {
  const { connection, slow, release, untilWaiting } = await slowService();
  connection.send(slow);
  await untilWaiting();
  connection.send(`GET /${"x".repeat(17_000)} HTTP/1.1\r\n\r\n`);
  expect(await connection.ended).toBe("");
  release();
});

test("nor does a path that cannot be read, which waits for its turn", async () => {
  const { connection, slow, head, release, untilWaiting } = await slowService();
  connection.send(`${slow}GET /v1/%zz ${head}\r\n`);
  await untilWaiting();
  release();
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(400);
});

test("a payment whose connection was cut so is kept, and a retry with its key finds it", async () => {
  const { connection, head, call, release, untilWaiting } = await slowService();
  const body = JSON.stringify(bodyWith({}));
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nIdempotency-Key: k\r\n`;
  connection.send(`POST /v1/payments ${head}${headers}\r\n${body}`);
  await untilWaiting();
  connection.send("garbage\r\n\r\n");
  expect(await connection.ended).toBe("");
  release();
  const retry = await call({ method: "POST", headers: { "idempotency-key": "k" }, body });
  expect(retry.status).toBe(201);
  expect(retry.headers["idempotent-replayed"]).toBe("true");
  const list = JSON.parse((await call({})).text) as PaymentList;
  expect(list.data).toHaveLength(1);
});

test("the second of two requests is begun when the first has its answer", async () => {
  const { connection, slow, release, untilWaiting, begun } = await slowService();
  connection.send(slow + slow);
  await untilWaiting();
  expect(begun()).toBe(1);
  release();
  expect((await connection.answer()).status).toBe(200);
  expect((await connection.answer()).status).toBe(200);
  expect(begun()).toBe(2);
});

test("a connection on which more waits than has room is cut, and nothing of that was begun", async () => {
  const { connection, slow, call, untilWaiting, begun } = await slowService();
  connection.send(slow);
  await untilWaiting();
  connection.send(slow.repeat(1_000));
  expect(await connection.ended).toBe("");
  expect(begun()).toBe(1);
  expect((await call({})).status).toBe(200); // others are served
});

test("what waits counts with its body, which arrives before it is asked for", async () => {
  const { connection, slow, head, untilWaiting, begun } = await slowService();
  connection.send(slow);
  await untilWaiting();
  const body = " ".repeat(60_000);
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  connection.send(`POST /v1/payments ${head}${headers}\r\n${body}`.repeat(20));
  expect(await connection.ended).toBe("");
  expect(begun()).toBe(1);
});
