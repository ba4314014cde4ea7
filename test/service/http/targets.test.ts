import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApp, type Answer } from "../../testkit/app/open-app.ts";
import { rawAnswer } from "../../testkit/sockets/raw-connection.ts";
import { refusalOf } from "../../testkit/app/refusal-of.ts";

// Request targets are sent over a raw connection, because `inject` would normalize them.

const { app, keys, close } = await openApp();
let url = "";
beforeAll(async () => {
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(close);

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

describe("without a key, a request does not learn whether a path exists", () => {
  test.each([
    ["GET", "/v1#payments"],
    ["GET", "/v1/nothing#part"],
    ["GET", "/v1/%2e%2e/docs/errors"],
    ["GET", "/v1/payments/../../docs/errors"],
    ["GET", "http://elsewhere.test/v1/nothing"],
    ["GET", "http://elsewhere.test/v1/%zz"],
    ["GET", "/%761/nothing"],
    ["PUT", "/%761/payments/pay_none"],
  ])("%s %s", async (method, target) => {
    const refused = { status: 401, code: "invalid_api_key", param: null };
    expect(refusalOf(await send(method, target))).toEqual(refused);
    expect(refusalOf(await send(method, target, keys.test)).status).toBeLessThan(406);
  });
});

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
