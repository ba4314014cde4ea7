import { afterAll, expect, test, beforeAll } from "vitest";
import { type Answer, errorIn, openApp, refusalOf } from "../../testkit/app/open-app.ts";
import { rawAnswer } from "../../testkit/sockets/raw-sockets.ts";
import { parseLanguage } from "../../../src/service/web/checkout/words/languages.ts";

const { app, call, keys, close } = await openApp();
afterAll(close);

test.each([
  "/v1",
  "/v1/",
  "/v1/payment",
  "/v1/Payments",
  "/v1//payments",
  "/v1/payments/pay_x/refunds",
  "/v1/payments/pay_x/refund/",
  "/v1/payments/pay_x/refund/again",
  "/v1/payments.json",
  "/",
  "/docs",
  "/docs/errors/",
  "/openapi.jsonx",
  "/openapi-json",
])("a path that does not exist is not found %s", async (path) => {
  for (const method of ["GET", "POST", "DELETE"]) {
    const answer = await call({ method, path });
    expect(refusalOf(answer)).toEqual({ status: 404, code: "endpoint_not_found", param: null });
    expect(answer.headers["allow"]).toBeUndefined();
  }
});

test.each(["//v1/account", "//", "///openapi.json?a=b", "/v1//payments"])(
  "%s is told that it has two slashes, with a request id and without a key",
  async (path) => {
    const answer = await rawAnswer(url, [
      `GET ${path} HTTP/1.1`,
      "Host: x",
      ...(path.startsWith("/v1") ? [`Authorization: Bearer ${keys.test}`] : []),
    ]);
    expect(refusalOf(answer)).toEqual({ status: 404, code: "endpoint_not_found", param: null });
    expect(errorIn(answer).message).toContain("two slashes");
  },
);

// The plain paths of the API are in every-route.test.ts.
test.each([
  ["/v1/payments?limit=1", "POST, GET, HEAD", ["PUT", "TRACE", "QUERY"]],
  ["/v1/p%61yments/pay_none", "GET, HEAD", ["POST"]],
  ["/openapi.json", "GET, HEAD", ["POST", "DELETE"]],
  ["/docs/errors", "GET, HEAD", ["POST", "DELETE"]],
])("a wrong method on %s is answered with the path's methods", async (path, allow, methods) => {
  for (const method of methods) {
    const answer = await call({ method, path });
    expect(answer).toMatchObject({ status: 405, headers: { allow } });
    expect(refusalOf(answer)).toEqual({ status: 405, code: "method_not_allowed", param: null });
    expect(errorIn(answer).message).toContain(allow.replaceAll(", ", " or "));
  }
});

test.each(["/v1/%zz", "/v1/payments/%", "/v1/payments/%ff", "/%c0%af"])(
  "%s, whose encoding is wrong, is a malformed request",
  async (path) => {
    const answer = await call({ path });
    expect(refusalOf(answer)).toEqual({ status: 400, code: "malformed_request", param: null });
  },
);

test("a request id that the client sends is ignored", async () => {
  const answer = await call({
    headers: { "service-request-id": "req_mine", "request-id": "mine" },
  });
  expect(answer.headers["service-request-id"]).toMatch(/^req_[0-9a-f-]{36}$/);
});

// Request targets are sent over a raw connection, because `inject` would normalize them.

let url = "";
beforeAll(async () => {
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});

async function send(method: string, target: string, key?: string): Promise<Answer> {
  const authorization = key === undefined ? [] : [`Authorization: Bearer ${key}`];
  return rawAnswer(url, [`${method} ${target} HTTP/1.1`, "Host: payments.test", ...authorization]);
}

test.each([
  "/v1/payments",
  "/v1/payments#part",
  "/v%31/p%61yments",
  "http://payments.test/v1/payments",
  "HTTP://elsewhere.test/v1/payments?limit=1",
  "https://payments.test:8443/v1/payments",
])("%s is the list of payments, and needs a key", async (target) => {
  const answer = await send("GET", target, keys.test);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({ object: "list", url: "/v1/payments" });
  expect(refusalOf(await send("GET", target))).toMatchObject({ status: 401 });
});

test.each([
  ["GET", "/v1#payments"],
  ["GET", "/v1/nothing#part"],
  ["GET", "/v1/%2e%2e/docs/errors"],
  ["GET", "/v1/payments/../../docs/errors"],
  ["GET", "http://elsewhere.test/v1/nothing"],
  ["GET", "http://elsewhere.test/v1/%zz"],
  ["GET", "/%761/nothing"],
  ["PUT", "/%761/payments/pay_none"],
])(
  "without a key, a request does not learn whether a path exists %s %s",
  async (method, target) => {
    const refused = { status: 401, code: "invalid_api_key", param: null };
    expect(refusalOf(await send(method, target))).toEqual(refused);
    expect(refusalOf(await send(method, target, keys.test)).status).toBeLessThan(406);
  },
);

test.each([
  ["GET", "http://payments.test", 404],
  ["GET", "http://payments.test/nothing", 404],
  ["GET", "//v1/payments", 404],
  ["GET", "/V1/payments", 404],
  ["OPTIONS", "*", 404],
  ["GET", "/docs/../v1/payments", 404],
  ["GET", "/docs/errors%00", 404],
  ["POST", "http://payments.test/docs/errors", 405],
  ["GET", "none", 400],
])("%s %s is answered %i", async (method, target, status) => {
  expect(refusalOf(await send(method, target)).status).toBe(status);
});

test("a wrong method on a whole address names the methods that its path has", async () => {
  const target = "http://payments.test/v1/payments/pay_none/refund";
  const answer = await send("GET", target, keys.test);
  expect(refusalOf(answer).status).toBe(405);
  expect(answer.headers["allow"]).toBe("POST");
});

test.each([
  [undefined, "en"],
  ["", "en"],
  ["*", "en"],
  ["de", "de"],
  ["de-at", "de-AT"],
  ["fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5", "fr-CH"],
  ["*, de", "de"],
  ["tlh, x-private, de", "de"],
  ["de;q=0, fr", "fr"],
  ["de ; Q=0.000 , fr", "fr"],
  ["de;q=0.1, fr", "de"],
  ["ja, sv, it-CH", "it-CH"],
  ["tlh, ja, sv", "ja"],
  ['"><script>, en-GB', "en-GB"],
  ["de_DE, nl", "nl"],
  [`${"xx-".repeat(2_000)}, de`, "de"],
  [`${"*,".repeat(10)}de`, "en"],
])("of %j the language is %s", (header, language) => {
  expect(parseLanguage(header)).toBe(language);
});
