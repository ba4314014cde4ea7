import { describe, expect, test } from "vitest";
import { PaymentsClient, type ClientOptions } from "../../src/client/index.ts";
import { gather } from "../testkit/gather.ts";
import { body, declining, runningService, visa } from "../testkit/client/running-service.ts";
import { json, paymentWith, scriptedServer } from "../testkit/client/scripted-server.ts";

const service = runningService();

const idsOf = async (found: AsyncIterable<{ id: string }>) =>
  (await gather(found)).map(({ id }) => id);

describe("a client of a running service", () => {
  test("creates a payment, finds it again, and refunds it", async () => {
    const { payments } = service.client();
    const created = await payments.create({
      ...body,
      customer: { email: "ada@example.com", first_name: "Ada", last_name: "Lovelace" },
      description: "A book",
      metadata: { order_id: "1001" },
    });
    expect(created).toMatchObject({
      object: "payment",
      amount: 4999,
      currency: "eur",
      status: "succeeded",
      description: "A book",
      customer: { email: "ada@example.com", name: "Ada Lovelace" },
      metadata: { order_id: "1001" },
      livemode: false,
    });
    expect(await payments.retrieve(created.id)).toEqual(created);

    const refunded = await payments.refund(created.id);
    expect(refunded).toMatchObject({ id: created.id, status: "refunded" });
    expect(refunded.refunded_at).toBeTypeOf("number");
  });

  test("creates a hosted payment once for one idempotency key, and reads how its page ended", async () => {
    const { payments } = service.client();
    const hosted = {
      amount: 4999,
      currency: "eur",
      return_url: "https://shop.example/thanks",
    } as const;
    const created = await payments.createHosted(hosted, { idempotencyKey: "hosted-1001" });
    expect(created).toMatchObject({ status: "pending", card: null, livemode: false });
    expect(created.redirect_url?.startsWith(`${service.url}/pay/`)).toBe(true);
    const again = await payments.createHosted(hosted, { idempotencyKey: "hosted-1001" });
    expect(again).toEqual(created);
    await fetch(`${created.redirect_url}/cancel`, { method: "POST" });
    expect(await payments.settled(created)).toMatchObject({
      status: "failed",
      decline_code: "customer_canceled",
    });
  });

  test.each(["test", "live"] as const)("returns the account of its %s key", async (mode) => {
    const { account } = service.client({ apiKey: service.keys[mode] });
    expect(await account.retrieve()).toEqual({
      id: expect.stringMatching(/^acct_/) as unknown,
      object: "account",
      name: "Default",
      default_version: "2026-11-01",
      livemode: mode === "live",
    });
  });

  test("does one thing for two calls with one idempotency key", async () => {
    const { payments } = service.client();
    const first = await payments.create(body, { idempotencyKey: "order-1001" });
    const second = await payments.create(body, { idempotencyKey: "order-1001" });
    const other = await payments.create(body);
    expect(second).toEqual(first);
    expect(other.id).not.toBe(first.id);
  });

  test("works on a base URL that ends in a slash", async () => {
    const { payments } = service.client({ baseUrl: `${service.url}/` });
    expect(await payments.list({ limit: 1 })).toMatchObject({ object: "list" });
  });

  test("lists payments page after page, in both directions, and under a filter", async () => {
    const { payments } = service.client({ apiKey: service.keys.live });
    const cards = [visa, visa, visa, visa, visa, declining, visa];
    const created = await Promise.all(
      cards.map(async (card) => payments.create({ ...body, card })),
    );
    const ids = created.map(({ id }) => id).toSorted();
    expect(await idsOf(payments.all({ limit: 3 }))).toEqual(ids.toReversed());
    expect(await idsOf(payments.all({ limit: 3, ending_before: ids[0] }))).toEqual(ids.slice(1));
    const live = await gather(payments.pages({ starting_after: ids[6], limit: 4 }));
    expect(live.map(({ data }) => data.length)).toEqual([4, 2]);
    expect(live.map(({ has_more }) => has_more)).toEqual([true, false]);
    const paid = await gather(payments.all({ status: "succeeded", limit: 4 }));
    expect(paid).toHaveLength(6);
  });
});

describe("a client's request", () => {
  test("is the key, the version, the body as JSON, and a fresh UUIDv4 for each write", async () => {
    const server = await scriptedServer(json(201, paymentWith({ id: "pay_1" })));
    const client = new PaymentsClient({
      apiKey: "svc_test_sk_key",
      baseUrl: `${server.url}/gateway`,
      serviceVersion: "2026-11-01",
    });
    await client.payments.create(body);
    await client.payments.refund("pay_1");
    await client.close();

    const [create, refund] = server.requests;
    expect(create).toMatchObject({
      method: "POST",
      path: "/gateway/v1/payments",
      headers: {
        authorization: "Bearer svc_test_sk_key",
        "content-type": "application/json",
        "service-version": "2026-11-01",
      },
    });
    expect(JSON.parse(create?.body ?? "")).toEqual(body);
    expect(refund).toMatchObject({
      method: "POST",
      path: "/gateway/v1/payments/pay_1/refund",
      body: "",
    });
    expect(refund?.headers["content-type"]).toBeUndefined();
    const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test("is the same with an option that is undefined", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const client = new PaymentsClient({
      apiKey: "svc_test_sk_key",
      baseUrl: server.url,
      serviceVersion: undefined,
      maxRetries: undefined,
      timeoutMs: undefined,
    });
    await client.payments.create(body, { idempotencyKey: undefined, signal: undefined });
    await client.close();
    expect(server.requests[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("has no idempotency key on reads, and no version unless one is pinned", async () => {
    const server = await scriptedServer(json(200, paymentWith({ id: "pay_1" })));
    const client = new PaymentsClient({ apiKey: "svc_test_sk_key", baseUrl: server.url });
    await client.payments.retrieve("pay_1");
    await client.close();
    const headers = server.requests[0]?.headers;
    expect(headers?.["idempotency-key"]).toBeUndefined();
    expect(headers?.["service-version"]).toBeUndefined();
  });
});

describe("options with which nothing can be sent", () => {
  test.each<[string, Partial<Record<keyof ClientOptions, unknown>>]>([
    ["apiKey", { apiKey: "svc_test_sk_key\n" }],
    ["apiKey", { apiKey: "svc_test_sk_k\u00eby" }],
    ["apiKey", { apiKey: undefined }],
    ["serviceVersion", { serviceVersion: "latest" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Number.NaN }],
    ["baseUrl", { baseUrl: "localhost:8402" }],
    ["Invalid URL", { baseUrl: "127.0.0.1:8402" }],
    ["Invalid URL", { baseUrl: undefined }],
  ])("are refused at once: %s (%#)", (named, options) => {
    const working: ClientOptions = { apiKey: "svc_test_sk_key", baseUrl: "http://127.0.0.1:8402" };
    const make = () => new PaymentsClient({ ...working, ...options } as ClientOptions);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(named);
    expect(make).not.toThrow("svc_test_sk_k");
  });
});

describe("a client's result", () => {
  test("has unknown fields of a later API unchanged", async () => {
    const answer = { ...paymentWith({ id: "pay_1" }), network: { scheme: "visa" } };
    const server = await scriptedServer(json(200, answer));
    const client = new PaymentsClient({ apiKey: "svc_test_sk_key", baseUrl: server.url });
    expect(await client.payments.retrieve("pay_1")).toEqual(answer);
    await client.close();
  });
});
