import { afterAll, expect, test } from "vitest";
import type { KeyGrant } from "../../../src/contract/administration.ts";
import { routes } from "../../../src/contract/routes.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { type Answer, type Call, errorIn, openAppThatMayFail } from "../../testkit/app/open-app.ts";
import { documentText, type Examples } from "../../testkit/app/openapi-document.ts";

// The examples of errors in the API's description are what the service answers.

const { call, close, failWith, service } = await openAppThatMayFail();
afterAll(close);

const { examples } = (JSON.parse(documentText) as { components: { examples: Examples } })
  .components;
const payments = routes.createPayment.path;
const endpoints = routes.createEndpoint.path;

const post = async (path: string, body?: object | string, more: Call = {}) =>
  call({ method: "POST", path, ...(body !== undefined && { body }), ...more });
const get = async (path: string) => call({ path });

/** Makes a payment with a card, and sends a request about it. */
async function postFor(number: string, action: string): Promise<Answer> {
  const { text } = await post(payments, bodyWith({ card: cardWith({ number }) }));
  return post(`${payments}/${(JSON.parse(text) as { id: string }).id}/${action}`);
}

async function refundTwice(): Promise<Answer> {
  const { text } = await post(payments, bodyWith({}));
  const path = `${payments}/${(JSON.parse(text) as { id: string }).id}/refund`;
  await post(path);
  return post(path);
}

async function reuseKey(): Promise<Answer> {
  const headers = { "idempotency-key": "order-1001" };
  await post(payments, bodyWith({}), { headers });
  return post(payments, bodyWith({ amount: 1 }), { headers });
}

/** Sends a request with a key that may less than all. */
async function sendRestricted(grant: Partial<KeyGrant>, request: Call): Promise<Answer> {
  const { key } = await service.createKey({ mode: "test", name: "restricted", ...grant });
  return call({ ...request, headers: { authorization: `Bearer ${key}` } });
}

const requests: Record<string, () => Promise<Answer>> = {
  invalid_api_key: async () => call({ key: null }),
  create_denied: async () =>
    sendRestricted({ permissions: ["read"] }, { method: "POST", path: payments }),
  read_denied: async () => sendRestricted({ permissions: ["create"] }, { path: payments }),
  refund_denied: async () =>
    sendRestricted({ permissions: ["read"] }, { method: "POST", path: `${payments}/pay_x/refund` }),
  webhooks_denied: async () =>
    sendRestricted({ permissions: ["read"] }, { method: "POST", path: endpoints }),
  refund_limit_exceeded: async () => {
    const { text } = await post(payments, bodyWith({}));
    const path = `${payments}/${(JSON.parse(text) as { id: string }).id}/refund`;
    return sendRestricted({ max_refund: 2500 }, { method: "POST", path });
  },
  parameter_invalid: async () => call({ headers: { "service-version": "latest" } }),
  parameter_unknown: async () => get(`${payments}?colour=red`),
  createPayment_parameter_missing: async () => post(payments, {}),
  createHosted_parameter_missing: async () => post(routes.createHosted.path, {}),
  createEndpoint_parameter_missing: async () => post(endpoints, {}),
  recoverEndpoint_parameter_missing: async () => post(`${endpoints}/we_x/recover`, {}),
  reportDelivery_parameter_missing: async () => post(`${endpoints}/we_x/report`, {}),
  listAllDeliveries_parameter_missing: async () => get("/v1/deliveries"),
  invalid_json: async () => post(payments, "{"),
  malformed_request: async () => get("/v1/%zz"),
  payment_not_found: async () => get(`${payments}/pay_x`),
  delivered_payment_not_found: async () => get("/v1/deliveries?payment=pay_x"),
  event_not_found: async () => get("/v1/events/evt_x"),
  webhook_endpoint_not_found: async () => get(`${endpoints}/we_x`),
  request_not_found: async () => get("/v1/requests/req_x"),
  request_too_large: async () => post(payments, "x".repeat(70_000)),
  unsupported_media_type: async () => post(payments, "a", { type: "text/plain" }),
  payment_not_refundable: async () => postFor("4000000000000002", "refund"),
  payment_already_refunded: refundTwice,
  refund_declined: async () => postFor("4000000000005126", "refund"),
  payment_not_cancelable: async () => postFor("4242424242424242", "cancel"),
  idempotency_key_reused: reuseKey,
  service_unavailable: async () => failWith(new Unavailable("away")),
  internal_error: async () => failWith(new Error("broken")),
};

test.each(Object.entries(requests))("%s is answered as its example says", async (name, request) => {
  const { request_id: _, doc_url: page, ...error } = errorIn(await request());
  const example = examples[name]?.value;
  expect(example).toMatchObject({ error });
  const path = new URL(page).pathname + new URL(page).hash;
  expect(example).toMatchObject({ error: { doc_url: expect.stringContaining(path) as unknown } });
});

test("the other examples need a connection, an embedded service, a limit or a request that waits", () => {
  expect(
    Object.keys(examples)
      .filter((name) => !(name in requests))
      .toSorted(),
  ).toEqual([
    "endpoint_not_found",
    "headers_too_large",
    "idempotency_key_in_use",
    "rate_limit_exceeded",
    "request_timeout",
  ]);
});
