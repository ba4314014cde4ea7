import { afterAll, describe, expect, test } from "vitest";
import type { List } from "../../../src/contract/list-object.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { openApp } from "../../testkit/app/open-app.ts";
import { refusalOf } from "../../testkit/app/refusal-of.ts";

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
