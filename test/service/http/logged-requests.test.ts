import { describe, expect, onTestFinished, test } from "vitest";
import type { LoggedRequest, RequestList } from "../../../src/contract/logged-request.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { limitRate } from "../../../src/service/http/request-guards.ts";
import { serveBound } from "../../testkit/service/bind-use-cases.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import {
  type Answer,
  type Around,
  type Call,
  openAppForTest,
  refusalOf,
} from "../../testkit/app/open-app.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const post = (path: string, body: object, headers = {}): Call => ({
  method: "POST",
  path,
  body,
  headers,
});
const create = (headers = {}) => post("/v1/payments", bodyWith({}), headers);

async function open(around: Around = {}) {
  const opened = await openAppForTest(around);
  const { call, service } = opened;
  const list = async (query = "", key: "test" | "live" = "test") => {
    await service.flushRequests();
    return await call({ path: `/v1/requests?limit=100${query}`, key });
  };
  return {
    ...opened,
    list,
    /** The request with the id of a response; undefined where it was not logged. */
    find: async ({ headers }: Answer): Promise<LoggedRequest | undefined> => {
      await service.flushRequests();
      const { status, text } = await call({
        path: `/v1/requests/${headers["service-request-id"]}`,
      });
      return status === 200 ? (JSON.parse(text) as LoggedRequest) : undefined;
    },
    idsOf: async (query = "", key: "test" | "live" = "test") =>
      (JSON.parse((await list(query, key)).text) as RequestList).data.map(({ id }) => id),
  };
}

const idOf = ({ headers }: Answer) => headers["service-request-id"];

describe("a logged request", () => {
  test("is a write with what it made, and says whether it was replayed", async () => {
    const { call, find } = await open();
    const first = await call(create({ "idempotency-key": "order-1" }));
    const second = await call(create({ "idempotency-key": "order-1" }));
    const { id: payment } = JSON.parse(first.text) as Payment;
    const logged = await find(first);
    expect(logged).toEqual({
      id: idOf(first),
      object: "request",
      created: expect.any(Number) as number,
      method: "POST",
      path: "/v1/payments",
      status: 201,
      duration_ms: expect.any(Number) as number,
      key: { id: expect.stringMatching(/^key_/) as string, name: "test" },
      error: null,
      payment,
      idempotency_key: "order-1",
      replayed: false,
      livemode: false,
    });
    expect(await find(second)).toMatchObject({ payment, replayed: true });
  });

  test("is no read that succeeded, and none without a valid key", async () => {
    const { call, list } = await open();
    await call({});
    await call({ path: "/v1/payments", method: "HEAD" });
    await call({ ...create(), key: null });
    await call({
      path: "/v1/payments",
      key: null,
      headers: { authorization: "Bearer svc_test_sk_x" },
    });
    await call({ path: "/docs/errors", key: null });
    expect(JSON.parse((await list()).text)).toMatchObject({ data: [], has_more: false });
  });

  test("is one beyond the rate limit, too", async () => {
    const { call, find } = await open({ app: { limitRate: limitRate(1) } });
    const answers = await Promise.all([1, 2, 3].map(async () => call({})));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused).toBeDefined();
    const findCode = async () => refused && (await find(refused))?.error?.code;
    await expect.poll(findCode).toBe("rate_limit_exceeded"); // looking it up is limited, too
  });

  test("names the payment of its path, whether there is one or not", async () => {
    const { call, find, idsOf } = await open();
    const { id } = JSON.parse((await call(create())).text) as Payment;
    const refund = await call(post(`/v1/payments/${id}/refund`, {}));
    const missing = await call({ path: "/v1/payments/pay_none?expand=x" });
    expect(await find(refund)).toMatchObject({ payment: id, path: `/v1/payments/${id}/refund` });
    expect(await find(missing)).toMatchObject({
      payment: "pay_none",
      path: "/v1/payments/pay_none",
    });
    expect(await idsOf(`&payment=${id}`)).toHaveLength(2);
  });

  test("is no poll of a listener that took nothing", async () => {
    const { call, find } = await open();
    const endpoint = JSON.parse(
      (await call(post("/v1/webhook_endpoints", { url: null }))).text,
    ) as {
      id: string;
    };
    const path = `/v1/webhook_endpoints/${endpoint.id}/take`;
    const empty = await call(post(path, { wait_seconds: 0 }));
    await call(create());
    const taken = await call(post(path, { wait_seconds: 0 }));
    expect(await find(empty)).toBeUndefined();
    expect(await find(taken)).toMatchObject({ path, status: 200 });
  });

  test("has no NUL of a field's name, which PostgreSQL would refuse with its whole batch", async () => {
    const { call, find } = await open();
    const answer = await call(post("/v1/payments", { ...bodyWith({}), "a\0b": 1 }));
    expect(await find(answer)).toMatchObject({ error: { param: "a\u{fffd}b" } });
  });

  test("has the status of the response, also where its client left before", async () => {
    const isAsked = Promise.withResolvers<void>();
    const isLeft = Promise.withResolvers<void>();
    const { service, app, keys, idsOf } = await open({
      store: (store) => ({
        ...store,
        createPayment: async (...write) => {
          isAsked.resolve();
          await isLeft.promise;
          return await store.createPayment(...write);
        },
      }),
    });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as { port: number };
    const { send, close } = await rawConnection(`http://127.0.0.1:${port}`);
    const body = JSON.stringify(bodyWith({}));
    send(
      `POST /v1/payments HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.test}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await isAsked.promise;
    close();
    isLeft.resolve();
    const find = async () => {
      await service.flushRequests();
      return await idsOf("&status=201");
    };
    await expect.poll(find).toHaveLength(1);
  });
});

describe("the list of requests", () => {
  test("is of one mode, and has what its filters say", async () => {
    const { call, idsOf } = await open();
    const made = idOf(await call(create({ "idempotency-key": "k" })));
    const unknown = idOf(await call({ path: "/v1/payments/pay_x" }));
    const invalid = idOf(await call(post("/v1/payments", {}, { "idempotency-key": "k" })));
    const live = idOf(await call({ path: "/v1/payments/pay_x", key: "live" }));
    expect(await idsOf("", "live")).toEqual([live]);
    expect(await idsOf()).toEqual([invalid, unknown, made]);
    expect(await idsOf("&status=404")).toEqual([unknown]);
    expect(await idsOf("&status=4xx,5xx")).toEqual([invalid, unknown]);
    expect(await idsOf("&status=2xx")).toEqual([made]);
    expect(await idsOf("&status=3xx")).toEqual([]);
    expect(await idsOf("&method=GET")).toEqual([unknown]);
    expect(await idsOf("&idempotency_key=k")).toEqual([invalid, made]);
    expect(await idsOf(`&starting_after=${unknown}`)).toEqual([made]);
    expect(await idsOf(`&ending_before=${unknown}&status=4xx`)).toEqual([invalid]);
    expect(await idsOf("&created[lt]=1")).toEqual([]);
    expect(await idsOf("&created[gte]=1")).toHaveLength(3);
  });

  test.for([
    ["status=40", "status"],
    ["status=1xx", "status"],
    ["status=", "status"],
    ["method=get", "method"],
    ["payment=x", "payment"],
    ["idempotency_key=4242424242424242", "idempotency_key"],
    ["starting_after=req_none", "starting_after"],
    ["starting_after=req_a&ending_before=req_b", "ending_before"],
    ["created[gte]=x", "created[gte]"],
    ["limit=101", "limit"],
  ])("refuses %s", async ([query, param]) => {
    const { call } = await open();
    const answer = await call({ path: `/v1/requests?${query}` });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
  });

  test("is empty where nothing is logged", async () => {
    const local = { database: "sqlite::memory:", host: "127.0.0.1", port: 0 };
    const { url, service, close } = await serveBound({ ...local, requestLogMs: 0 });
    onTestFinished(close);
    const { key } = await service.createKey({ mode: "test", name: "test" });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(bodyWith({})) };
    expect((await fetch(`${url}/v1/payments`, init)).status).toBe(201);
    await service.flushRequests();
    const listed = await fetch(`${url}/v1/requests`, { headers });
    expect(await listed.json()).toMatchObject({ data: [], has_more: false });
  });
});
