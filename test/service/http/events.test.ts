import { afterAll, describe, expect, test } from "vitest";
import type { List } from "../../../src/contract/list.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { type Answer, type Call, openApp, refusalOf } from "../../testkit/app/open-app.ts";
import type { WebhookEndpoint } from "../../../src/contract/webhook-endpoint.ts";

const { call, close } = await openApp();
afterAll(close);

const create = async () => {
  const { text } = await call({ method: "POST", body: bodyWith({}) });
  return JSON.parse(text) as Payment;
};
const fetchList = async <T>(path: string) =>
  (JSON.parse((await call({ path })).text) as List<T>).data;

/** Oldest first. */
async function listEvents({ id }: Payment) {
  return (await fetchList<{ id: string }>(`/v1/events?payment=${id}`)).toReversed();
}

const listDeliveries = async (id: string) =>
  fetchList<{ id: string; event: string }>(`/v1/webhook_endpoints/${id}/deliveries`);

async function createEndpoint(body: object = {}): Promise<string> {
  const path = "/v1/webhook_endpoints";
  const url = "https://shop.example/hooks";
  const { text } = await call({ method: "POST", path, body: { url, ...body } });
  return (JSON.parse(text) as { id: string }).id;
}

describe("an event", () => {
  test("contains the payment at the time of the event, byte for byte", async () => {
    const paid = await create();
    const refund = await call({ method: "POST", path: `/v1/payments/${paid.id}/refund` });
    const [first, second] = await listEvents(paid);
    const created = expect.any(Number) as number;
    expect([first, second]).toEqual([
      {
        id: first?.id,
        object: "event",
        type: "payment.succeeded",
        created,
        livemode: false,
        sequence: 1,
        data: { object: paid },
      },
      {
        id: second?.id,
        object: "event",
        type: "payment.refunded",
        created,
        livemode: false,
        sequence: 2,
        data: { object: JSON.parse(refund.text) as Payment },
      },
    ]);
    const answer = await call({ path: `/v1/events/${first?.id}` });
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify(first)]);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    const list = await call({ path: `/v1/events?payment=${paid.id}&limit=1` });
    expect(list.text).toBe(
      `{"object":"list","url":"/v1/events","data":[${JSON.stringify(second)}],"has_more":true}`,
    );
  });

  test.each(["evt_none", "pay_0199", "evt_%00", "evt_ü", "x".repeat(3_000)])(
    "%s is not found",
    async (id) => {
      const at = `/v1/events/${encodeURIComponent(id)}`;
      const refusal = { status: 404, code: "resource_missing", param: "id" };
      expect(refusalOf(await call({ path: at }))).toEqual(refusal);
      expect(refusalOf(await call({ method: "POST", path: `${at}/resend` }))).toEqual(refusal);
    },
  );
});

describe("resending an event", () => {
  test("queues it for the named endpoint, else for all enabled ones, once for each idempotency key", async () => {
    const failures = await createEndpoint({ events: ["payment.failed"] });
    const all = await createEndpoint();
    const off = await createEndpoint();
    const disable = { status: "disabled" };
    await call({ method: "POST", path: `/v1/webhook_endpoints/${off}`, body: disable });
    const paid = await create();
    const [event] = await listEvents(paid);
    const path = `/v1/events/${event?.id}/resend`;
    const resend = async (body: object, headers = {}) =>
      call({ method: "POST", path, body, headers });
    expect(await listDeliveries(failures)).toEqual([]);

    const named = await resend({ endpoint: failures });
    const [delivery] = await listDeliveries(failures);
    expect(delivery?.event).toBe(event?.id);
    expect([named.status, named.text]).toEqual([
      200,
      `{"object":"list","url":"${path}","data":[${JSON.stringify(delivery)}],"has_more":false}`,
    ]);
    const key = { "idempotency-key": "resend" };
    const [first, second] = [await resend({}, key), await resend({}, key)];
    expect(second.text).toBe(first.text);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    const counts = await Promise.all(
      [failures, all, off].map(async (id) => (await listDeliveries(id)).length),
    );
    expect(counts).toEqual([2, 2, 0]);

    const refusals = [off, "we_none", "pay_1", 7].map(async (endpoint) =>
      refusalOf(await resend({ endpoint })),
    );
    expect(await Promise.all(refusals)).toEqual([
      { status: 400, code: "parameter_invalid", param: "endpoint" },
      { status: 404, code: "resource_missing", param: "endpoint" },
      { status: 400, code: "parameter_invalid", param: "endpoint" },
      { status: 400, code: "parameter_invalid", param: "endpoint" },
    ]);
  });
});

const hooks = await openApp();
afterAll(hooks.close);

const path = "/v1/webhook_endpoints";
const url = "https://shop.example/hooks";
const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";

async function post(action: string, body: object = {}, rest: Partial<Call> = {}): Promise<Answer> {
  return await hooks.call({ ...rest, method: "POST", path: path + action, body });
}

/** Creates an endpoint for one test and deletes it, because a mode has a maximum of endpoints. */
async function withEndpoint<T>(
  body: object,
  work: (made: WebhookEndpoint) => Promise<T>,
): Promise<T> {
  const made = JSON.parse((await post("", { url, ...body })).text) as WebhookEndpoint;
  try {
    return await work(made);
  } finally {
    await hooks.call({ method: "DELETE", path: `${path}/${made.id}` });
  }
}

describe("a webhook endpoint", () => {
  test("is created with a secret, which later responses do not contain", async () => {
    await withEndpoint({}, async (made) => {
      const { secret, ...rest } = made;
      expect(rest).toEqual({
        id: expect.stringMatching(`^we_${uuid}$`) as unknown,
        object: "webhook_endpoint",
        url,
        events: ["*"],
        description: null,
        status: "enabled",
        disabled_reason: null,
        last_success_at: null,
        failing_since: null,
        created: expect.closeTo(Date.now() / 1000, -3) as unknown,
        livemode: false,
      });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      const json = JSON.stringify(rest);
      expect((await hooks.call({ path: `${path}/${made.id}` })).text).toBe(json);
      const list = await hooks.call({ path });
      expect(list.text).toBe(`{"object":"list","url":"${path}","data":[${json}],"has_more":false}`);
      expect(list.headers["content-type"]).toBe("application/json; charset=utf-8");
    });
  });

  test("is created once for each idempotency key; the stored response contains the secret", async () => {
    const headers = { "idempotency-key": "k1" };
    const [first, second] = [
      await post("", { url }, { headers }),
      await post("", { url }, { headers }),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    const other = await post("", { url, description: "x" }, { headers });
    expect(refusalOf(other)).toMatchObject({ status: 409, code: "idempotency_key_reused" });
    await hooks.call({
      method: "DELETE",
      path: `${path}/${(JSON.parse(first.text) as WebhookEndpoint).id}`,
    });
    expect((await hooks.call({ path })).text).toContain('"data":[]');
  });

  test("is changed only in the fields of the request", async () => {
    await withEndpoint({ description: "Orders" }, async ({ id }) => {
      const changes = [
        [{}, {}],
        [{ url: "http://shop.example" }, { url: "http://shop.example/" }],
        [
          { events: ["payment.refunded", "payment.failed"] },
          { events: ["payment.failed", "payment.refunded"] },
        ],
        [{ events: ["payment.failed", "*"] }, { events: ["*"] }],
        [{ status: "disabled" }, { status: "disabled" }],
        [{ events: null, status: null }, {}],
        [
          { description: null, status: "enabled" },
          { description: null, status: "enabled" },
        ],
      ];
      const retrieve = async () =>
        JSON.parse((await hooks.call({ path: `${path}/${id}` })).text) as object;
      for (const [body, change] of changes) {
        const expected = Object.assign(await retrieve(), change);
        const answer = await post(`/${id}`, body);
        expect([answer.status, JSON.parse(answer.text)]).toEqual([200, expected]);
        expect(await retrieve()).toEqual(expected);
      }
    });
  });

  test("that was deleted is not found", async () => {
    const id = await withEndpoint({}, async (made) => {
      const answer = await hooks.call({ method: "DELETE", path: `${path}/${made.id}` });
      const deleted = `{"id":"${made.id}","object":"webhook_endpoint","deleted":true}`;
      expect([answer.status, answer.text]).toEqual([200, deleted]);
      return made.id;
    });
    for (const method of ["GET", "POST", "DELETE"])
      expect(refusalOf(await hooks.call({ method, path: `${path}/${id}` }))).toEqual({
        status: 404,
        code: "resource_missing",
        param: "id",
      });
  });

  test.each(["we_none", "pay_0199", "we_%00", "we_ü", "x".repeat(3_000)])(
    "%s is not found",
    async (id) => {
      const answer = await hooks.call({ path: `${path}/${encodeURIComponent(id)}` });
      expect(refusalOf(answer)).toMatchObject({ status: 404, code: "resource_missing" });
    },
  );
});

describe("the API refuses, and names the field,", () => {
  const hostile = [
    "",
    "javascript:alert(1)",
    "https:///hooks",
    "https://user:secret@shop.example",
    "https://shop.example\\@elsewhere.example",
    "https://shop.example/\r\nX: y",
    "https://[::1",
    `https://shop.example/${"x".repeat(2_000)}`,
    "https://shop.example/?card=4242-4242-4242-4242",
    7,
  ];
  test.each(hostile)("the address %j", async (value) => {
    const refusal = { status: 400, code: "parameter_invalid", param: "url" };
    expect(refusalOf(await post("", { url: value }))).toEqual(refusal);
    await withEndpoint({}, async ({ id }) => {
      expect(refusalOf(await post(`/${id}`, { url: value }))).toEqual(refusal);
    });
  });

  test.each([
    ["", { url: undefined }, "parameter_missing", "url"],
    ["", { url, events: [] }, "parameter_invalid", "events"],
    ["", { url, events: ["payment.lost"] }, "parameter_invalid", "events[0]"],
    ["", { url, description: "4242 4242 4242 4242" }, "parameter_invalid", "description"],
    ["/ID", { url: null }, "parameter_invalid", "url"],
    ["/ID", { status: "failing" }, "parameter_invalid", "status"],
    ["/ID", { description: "4242424242424242" }, "parameter_invalid", "description"],
    ["/ID/roll", { overlap_hours: 169 }, "parameter_invalid", "overlap_hours"],
    ["/ID/start", { since: 1, only_new: true }, "parameter_invalid", "only_new"],
    ["/ID/take", {}, "parameter_invalid", "id"],
    ["/ID/start", {}, "parameter_invalid", "id"],
    ["/ID/report", { delivery: "del_1", delivered: true }, "parameter_invalid", "id"],
    ["/ID/take", { limit: 17 }, "parameter_invalid", "limit"],
    ["/ID/take", { wait_seconds: 26 }, "parameter_invalid", "wait_seconds"],
    ["/ID/take", { lease_seconds: 86_401 }, "parameter_invalid", "lease_seconds"],
    ["/ID/report", { delivery: "del_1" }, "parameter_missing", "delivered"],
    [
      "/ID/report",
      { delivery: "del_1", delivered: false, last_status: 99 },
      "parameter_invalid",
      "last_status",
    ],
  ])("POST %s %j", async (action, body, code, param) => {
    await withEndpoint({}, async ({ id }) => {
      const answer = await post(action.replace("ID", id), body);
      expect(refusalOf(answer)).toEqual({ status: 400, code, param });
    });
  });

  test("plain http in live mode, unless private addresses are allowed", async () => {
    const strict = await openApp({ webhooks: { allowsPrivate: false } });
    const add = async (key: "test" | "live", address: string) =>
      strict.call({ method: "POST", path, key, body: { url: address } });
    const refusal = { status: 400, code: "parameter_invalid", param: "url" };
    expect(refusalOf(await add("live", "http://shop.example"))).toEqual(refusal);
    expect((await add("test", "http://shop.example")).status).toBe(201);
    const { text } = await add("live", url);
    const { id } = JSON.parse(text) as WebhookEndpoint;
    const body = { url: "http://shop.example" };
    const update = await strict.call({ method: "POST", path: `${path}/${id}`, key: "live", body });
    expect(refusalOf(update)).toEqual(refusal);
    await strict.close();
    const loose = await post("", body, { key: "live" });
    expect(loose.status).toBe(201);
  });

  test("the seventeenth endpoint of a mode, and the seventeenth listener", async () => {
    const { call: send, close: closeApp } = await openApp();
    const add = async (address: string | null, key: "test" | "live" = "test") =>
      send({ method: "POST", path, key, body: { url: address } });
    const list = async () =>
      (JSON.parse((await send({ path: `${path}?limit=100` })).text) as List<WebhookEndpoint>).data;
    for (const [address, reason] of [
      [url, "url cannot be added"],
      [null, "There are 16 listeners"],
    ] as const) {
      const made = await Promise.all(Array.from({ length: 17 }, async () => add(address)));
      const refused = made.filter(({ status }) => status !== 201);
      expect(refused.map(refusalOf)).toEqual([
        { status: 400, code: "parameter_invalid", param: "url" },
      ]);
      expect(refused[0]?.text).toContain(`"message":"${reason}`);
    }
    expect(await list()).toHaveLength(32);
    expect((await add(url, "live")).status).toBe(201);
    const one = (await list()).find((endpoint) => endpoint.url !== null);
    await send({ method: "DELETE", path: `${path}/${one?.id}` });
    expect((await add(url)).status).toBe(201);
    await closeApp();
  });
});

describe("a listener", () => {
  test("leases its deliveries with their events, byte for byte, and reports each", async () => {
    await withEndpoint({ url: null }, async ({ id }) => {
      await hooks.call({
        method: "POST",
        path: "/v1/payments",
        body: bodyWith({ description: "ü\u2028" }),
      });
      const events = JSON.parse((await hooks.call({ path: "/v1/events?limit=1" })).text) as List<{
        id: string;
      }>;
      const event = (await hooks.call({ path: `/v1/events/${events.data[0]?.id}` })).text;
      const leased = await post(`/${id}/take`, { wait_seconds: 5 });
      const { data } = JSON.parse(leased.text) as List<{
        id: string;
        created: number;
        next_attempt_at: number;
      }>;
      const { id: delivery = "", created, next_attempt_at: next } = data[0] ?? {};
      const formatDelivery = (of: string, state: string) =>
        `{"id":"${delivery}","object":"delivery","event":${of},"type":"payment.succeeded",${state},"created":${created},"endpoint":"${id}"}`;
      expect(delivery).toMatch(new RegExp(`^del_${uuid}-[0-9a-f]{10}$`));
      const leasedState = `"status":"pending","attempts":0,"next_attempt_at":${next},"last_status":null,"last_error":null`;
      expect(leased.text).toBe(
        `{"object":"list","url":"${path}/${id}/take","data":[${formatDelivery(event, leasedState)}],"has_more":false}`,
      );
      const report = { delivery, attempts: null, delivered: true, last_status: 204 };
      const endedState = `"status":"delivered","attempts":1,"next_attempt_at":null,"last_status":204,"last_error":null`;
      const quoted = `"${events.data[0]?.id}"`;
      expect((await post(`/${id}/report`, report)).text).toBe(formatDelivery(quoted, endedState));
      expect((await post(`/${id}/report`, report)).text).toBe(formatDelivery(quoted, endedState));
      expect((await hooks.call({ path: `${path}/${id}/deliveries` })).text).toBe(
        `{"object":"list","url":"${path}/${id}/deliveries","data":[${formatDelivery(quoted, endedState)}],"has_more":false}`,
      );
    });
  });
});

const listAll = async (query: string, key: "test" | "live" = "test") =>
  hooks.call({ path: `/v1/deliveries?${query}`, key });

describe("the deliveries of a payment or an event", () => {
  type Delivery = { id: string; event: string; endpoint: string; status: string };
  const read = async (query: string) => {
    const { text, status } = await listAll(query);
    expect([query, status]).toEqual([query, 200]);
    return JSON.parse(text) as List<Delivery>;
  };

  test("are listed across endpoints, a resend and what a deleted endpoint got among them", async () => {
    await withEndpoint({ url: null }, async ({ id: one }) => {
      const { paid, event, refunded, other } = await withEndpoint({ url: null }, async (two) => {
        const made = await hooks.call({ method: "POST", path: "/v1/payments", body: bodyWith({}) });
        const payment = JSON.parse(made.text) as { id: string };
        const created = payment.id.replace("pay_", "evt_");
        await hooks.call({ method: "POST", path: `/v1/payments/${payment.id}/refund` });
        await hooks.call({ method: "POST", path: "/v1/payments", body: bodyWith({}) });
        const resend = `/v1/events/${created}/resend`;
        await hooks.call({ method: "POST", path: resend, body: { endpoint: one } });
        const { data } = await read(`payment=${payment.id}&limit=100`);
        return { paid: payment.id, event: created, refunded: data[1]?.event, other: two.id };
      });
      const { data, has_more: hasMore } = await read(`payment=${paid}`);
      expect(hasMore).toBe(false);
      expect(data.map(({ event: of, endpoint }) => [of, endpoint])).toEqual([
        [event, one], // resent, and so the newest
        [refunded, data[1]?.endpoint],
        [refunded, data[2]?.endpoint],
        [event, data[3]?.endpoint],
        [event, data[4]?.endpoint],
      ]);
      for (const at of [1, 3])
        expect(new Set([data[at]?.endpoint, data[at + 1]?.endpoint])).toEqual(
          new Set([one, other]),
        );
      expect((await read(`event=${event}`)).data).toEqual([data[0], data[3], data[4]]);

      // Every page, in both directions, and by status.
      for (const query of [`payment=${paid}`, `event=${event}`]) {
        const all = (await read(query)).data;
        for (const [at, { id }] of all.entries()) {
          expect(await read(`${query}&limit=1&starting_after=${id}`)).toMatchObject({
            data: all.slice(at + 1, at + 2),
            has_more: at + 2 < all.length,
          });
          expect(await read(`${query}&limit=1&ending_before=${id}`)).toMatchObject({
            data: all.slice(Math.max(0, at - 1), at),
            has_more: at > 1,
          });
        }
        expect((await read(`${query}&status=delivered,failed`)).data).toEqual([]);
        expect((await read(`${query}&status=pending,failed`)).data).toEqual(all);
        expect((await read(`${query}&created[lt]=1`)).data).toEqual([]);
      }
    });
  });

  test.each([
    ["", 400, "parameter_missing", "payment"],
    ["status=failed", 400, "parameter_missing", "payment"],
    ["payment=pay_1&event=evt_1", 400, "parameter_invalid", "event"],
    ["payment=evt_1", 400, "parameter_invalid", "payment"],
    ["event=evt_1&status=sent", 400, "parameter_invalid", "status"],
    ["event=evt_1&endpoint=we_1", 400, "parameter_unknown", "endpoint"],
    ["payment=pay_1", 404, "resource_missing", "payment"],
    ["event=evt_1", 404, "resource_missing", "event"],
  ])("%s is refused with %i", async (query, status, code, param) => {
    expect(refusalOf(await listAll(query))).toEqual({ status, code, param });
  });

  test("are not those of another mode, and a cursor is a delivery of this one", async () => {
    await withEndpoint({ url: null }, async () => {
      const made = await hooks.call({ method: "POST", path: "/v1/payments", body: bodyWith({}) });
      const { id } = JSON.parse(made.text) as { id: string };
      expect(await read(`payment=${id}`)).toMatchObject({ data: [{ status: "pending" }] });
      expect((await listAll(`payment=${id}`, "live")).status).toBe(404);
      expect((await listAll(`event=${id.replace("pay_", "evt_")}`, "live")).status).toBe(404);
      const unknown = await listAll(`payment=${id}&starting_after=del_1`);
      const refusal = { status: 400, code: "parameter_invalid", param: "starting_after" };
      expect(refusalOf(unknown)).toEqual(refusal);
    });
  });
});
