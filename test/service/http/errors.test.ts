import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, describe } from "vitest";
import {
  type ErrorCode,
  ServiceError,
  errorCodes,
  statusByCode,
} from "../../../src/contract/error.ts";
import type { KeyGrant } from "../../../src/contract/administration.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import { toErrorReply } from "../../../src/service/http/broken-requests.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import {
  type Answer,
  type Call,
  docsUrl,
  errorIn,
  openApp,
  refusalOf,
} from "../../testkit/app/open-app.ts";
import { startService, type RunningService } from "../../../src/service/server/start-service.ts";
import { rawAnswer } from "../../testkit/sockets/raw-sockets.ts";

let failure: unknown;
const { call, close, service } = await openApp({
  store: (real) => ({
    ...real,
    listPayments: async (scope, page) => {
      if (failure !== undefined) throw failure;
      return real.listPayments(scope, page);
    },
  }),
});
afterAll(close);

const post = (body: object | string, rest: Call = {}): Call => ({ method: "POST", body, ...rest });
const paths = { succeeded: "", pending: "", refunded: "" };
/** The headers of keys that may less than all. */
const restricted = { reading: {}, refunding: {} };
const grant = async (fields: Partial<KeyGrant>) => {
  const { key } = await service.createKey({ mode: "test", name: "restricted", ...fields });
  return { authorization: `Bearer ${key}` };
};
beforeAll(async () => {
  const pathOf = async (fields: object) => {
    const { text } = await call(post(bodyWith(fields)));
    return `/v1/payments/${(JSON.parse(text) as Payment).id}/refund`;
  };
  restricted.reading = await grant({ permissions: ["read"] });
  restricted.refunding = await grant({ max_refund: 1 });
  paths.succeeded = await pathOf({});
  paths.refunded = await pathOf({});
  paths.pending = await pathOf({ card: cardWith({ number: "4000000000000002" }) });
  await call({ method: "POST", path: paths.refunded });
  await call(post(bodyWith({}), { headers: { "idempotency-key": "used" } }));
});

async function failWith(error: unknown): Promise<Answer> {
  failure = error;
  return call({}).finally(() => {
    failure = undefined;
  });
}

type Row = [status: number, type: string, provoke?: () => Promise<Answer>];

const invalid = "invalid_request_error";
/** The expected status and type of each code; codes without a request are tested with connections. */
const table: Record<ErrorCode, Row> = {
  invalid_api_key: [401, "authentication_error", async () => call({ key: null })],
  permission_denied: [
    403,
    "permission_error",
    async () => call(post(bodyWith({}), { headers: restricted.reading })),
  ],
  refund_limit_exceeded: [
    403,
    "permission_error",
    async () => call(post({}, { path: paths.succeeded, headers: restricted.refunding })),
  ],
  parameter_missing: [400, invalid, async () => call(post({}))],
  parameter_invalid: [400, invalid, async () => call(post(bodyWith({ amount: 0 })))],
  parameter_unknown: [400, invalid, async () => call(post(bodyWith({ a: 1 })))],
  invalid_json: [400, invalid, async () => call(post("{"))],
  resource_missing: [404, invalid, async () => call({ path: "/v1/payments/pay_0" })],
  endpoint_not_found: [404, invalid, async () => call({ path: "/v1/nothing" })],
  method_not_allowed: [405, invalid, async () => call({ method: "PUT" })],
  request_too_large: [413, invalid, async () => call(post("x".repeat(70_000)))],
  unsupported_media_type: [415, invalid, async () => call(post("a", { type: "text/plain" }))],
  headers_too_large: [431, invalid],
  malformed_request: [400, invalid, async () => call({ path: "/v1/%zz" })],
  request_timeout: [408, invalid],
  payment_not_refundable: [422, invalid, async () => call({ method: "POST", path: paths.pending })],
  payment_already_refunded: [
    422,
    invalid,
    async () => call({ method: "POST", path: paths.refunded }),
  ],
  refund_declined: [
    422,
    invalid,
    async () => failWith(new ServiceError("refund_declined", "The card network has declined.")),
  ],
  payment_not_cancelable: [
    422,
    invalid,
    async () => call({ method: "POST", path: paths.pending.replace("refund", "cancel") }),
  ],
  idempotency_key_reused: [
    409,
    "idempotency_error",
    async () => call(post(bodyWith({ amount: 1 }), { headers: { "idempotency-key": "used" } })),
  ],
  idempotency_key_in_use: [
    409,
    "idempotency_error",
    async () => failWith(new ServiceError("idempotency_key_in_use", "It is being worked on.")),
  ],
  rate_limit_exceeded: [429, "rate_limit_error"],
  service_unavailable: [503, "api_error", async () => failWith(new Unavailable("away"))],
  internal_error: [500, "api_error", async () => failWith(new Error("broken"))],
};

test.each(Object.entries(table))(
  "%s is answered %j, and logged where the key is known",
  async (code, [status, type, provoke]) => {
    expect(statusByCode[code as ErrorCode]).toBe(status);
    expect(errorCodes[code as ErrorCode].type).toBe(type);
    if (!provoke) return;
    const answer = await provoke();
    expect(refusalOf(answer)).toMatchObject({ status, code });
    const { request_id: id, ...error } = errorIn(answer);
    expect(error).toMatchObject({ type, doc_url: `${docsUrl}#${code}` });
    await service.flushRequests();
    const logged = await call({ path: `/v1/requests/${id}` });
    const expected = code === "invalid_api_key" ? {} : { id, status, error: { type, code } };
    expect(logged.status).toBe(code === "invalid_api_key" ? 404 : 200);
    expect(JSON.parse(logged.text)).toMatchObject(expected);
  },
);

test("every code is in the table", () => {
  expect(Object.keys(errorCodes).toSorted()).toEqual(Object.keys(table).toSorted());
});

test("WWW-Authenticate, Allow and Retry-After are sent only with the errors that need them", async () => {
  for (const [code, [status, , provoke]] of Object.entries(table)) {
    const headers = (await provoke?.())?.headers;
    if (!headers) continue;
    expect(headers["www-authenticate"]).toBe(status === 401 ? "Bearer" : undefined);
    expect(headers["allow"]).toBe(status === 405 ? "POST, GET, HEAD" : undefined);
    const isRetryable = status === 503 || code === "idempotency_key_in_use";
    expect(headers["retry-after"] !== undefined).toBe(isRetryable);
  }
});

test("a Host or forwarding header does not change doc_url", async () => {
  const headers = {
    host: "evil.test",
    forwarded: "host=evil.test",
    "x-forwarded-host": "evil.test",
    "x-forwarded-proto": "gopher",
  };
  expect(errorIn(await call({ path: "/v1/nothing", headers })).doc_url).toBe(
    `${docsUrl}#endpoint_not_found`,
  );
});

test.each([
  ["a lone surrogate", '"\\ud800"', "\uFFFD"],
  ["one that is left where a long name is cut", `"${"a".repeat(99)}😀"`, `${"a".repeat(99)}\uFFFD`],
])("a field's name with %s comes back as text that can be encoded", async (_, name, param) => {
  const answer = await call(post(`{${name}: 1, ${JSON.stringify(bodyWith({})).slice(1)}`));
  expect(answer.text).not.toContain("\\ud");
  expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_unknown", param });
});

test("a card number or a key in an error is masked in its response", () => {
  const secrets = `4242 4242 4242 4242 svc_live_sk_${"x".repeat(43)}`;
  const error = new ServiceError("parameter_invalid", `${secrets} is wrong.`, secrets);
  const { body } = toErrorReply(error, { requestId: "req_1", docsUrl });
  expect(body).toContain("is wrong.");
  expect(body).not.toMatch(/4242|xxx/);
});

let running: RunningService;
beforeAll(async () => {
  running = await startService();
});
afterAll(async () => running.close());

describe("an error's doc_url", () => {
  test.each([
    ["of a key that is missing", ["GET /v1/payments HTTP/1.1", "Host: evil.test"]],
    ["of an unknown path", ["GET /nothing HTTP/1.1", "Host: evil.test:99"]],
    ["of a whole address", ["GET http://evil.test/nothing HTTP/1.1", "Host: evil.test"]],
    ["of no valid HTTP", ["garbage"]],
    ["of headers that are too large", ["GET / HTTP/1.1", `Host: ${"x".repeat(17_000)}`]],
    ["of no Host header", ["GET /v1/payments HTTP/1.1"]],
  ])("%s works, and leads to the error's description", async (_, lines) => {
    const error = errorIn(await rawAnswer(running.url, lines));
    expect(error.doc_url).toBe(`${running.url}/docs/errors#${error.code}`);
    const page = await fetch(error.doc_url);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text.split(`id="${error.code}"`)).toHaveLength(2);
  });

  test.each(["https://pay.example.com", "https://pay.example.com/", "https://example.com/pay/"])(
    "is under the public address %s, if one is set",
    async (publicUrl) => {
      const proxied = await startService({ publicUrl });
      const answer = await fetch(`${proxied.url}/v1/payments`);
      const { doc_url } = errorIn({ text: await answer.text() });
      expect(doc_url).toBe(`${publicUrl.replace(/\/$/, "")}/docs/errors#invalid_api_key`);
      await proxied.close();
    },
  );
});

describe("the page of errors", () => {
  test("needs no key, and describes every code", async () => {
    const page = await fetch(`${running.url}/docs/errors`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const text = await page.text();
    for (const code of Object.keys(errorCodes)) expect(text).toContain(`<section id="${code}">`);
  });

  test("allows the browser to load only its own style", async () => {
    const page = await fetch(`${running.url}/docs/errors`);
    const text = await page.text();
    const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(page.headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(text).not.toMatch(/<script|<link|<img|\sstyle=|\son\w+=|javascript:/i);
  });
});
