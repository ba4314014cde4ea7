import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import {
  waitingPageScript,
  paymentPageStyle,
  paymentPageScript,
  localTimeScript,
} from "../../../src/service/web/checkout/payment-page.ts";
import { startService } from "../../../src/service/server/start-service.ts";
import { form, isPage, openAppWithCustomer, visa } from "../../testkit/app/customer.ts";
import { openApp, type Call } from "../../testkit/app/open-app.ts";
import { rawAnswer } from "../../testkit/sockets/raw-sockets.ts";

const { call, close } = await openApp();
afterAll(close);

const computeHash = (text: string) =>
  `sha256-${createHash("sha256").update(text).digest("base64")}`;
const expected = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src '${computeHash(paymentPageStyle)}'`,
    `script-src ${[paymentPageScript, waitingPageScript, localTimeScript].map((script) => `'${computeHash(script)}'`).join(" ")}`,
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "strict-transport-security": "max-age=31536000",
  "service-request-id": expect.stringMatching(/^req_[0-9a-f-]{36}$/),
};
const submit = { method: "POST", body: "x=1", type: form };

describe("every response under /pay has the security headers:", () => {
  test.each<[string, Call, number]>([
    ["an unknown page", { path: "/pay/unknown" }, 404],
    ["no page at all", { path: "/pay" }, 404],
    ["a path below a page", { path: "/pay/unknown/x" }, 404],
    ["a path written in another way", { path: "/p%61y/unknown" }, 404],
    ["a path that cannot be read", { path: "/pay/%zz" }, 400],
    ["a return URL", { path: "/pay/unknown/return" }, 404],
    ["a wrong method", { method: "PUT", path: "/pay/unknown" }, 405],
    ["an unknown field", { ...submit, path: "/pay/unknown" }, 400],
    ["a wrong media type", { ...submit, path: "/pay/unknown", type: "text/plain" }, 415],
    ["a body that is too large", { ...submit, path: "/pay/x", body: "x".repeat(9_000) }, 413],
    ["another site's form", { ...submit, path: "/pay/x", headers: { origin: "https://a.b" } }, 403],
  ])("%s", async (_, request, status) => {
    const answer = await call({ key: null, ...request });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject(expected);
    expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  test("a page, the responses to its form, and the return URL", async () => {
    const opened = await openAppWithCustomer();
    const { path } = await opened.create({ return_url: "https://shop.example" });
    const answers = [
      await opened.visit(path),
      await opened.submit(path, {}),
      await opened.submit(path, visa),
      await opened.visit(path),
      await opened.submit(`${path}/cancel`),
      await opened.visit(`${path}/return`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 303, 200, 303, 303]);
    for (const { headers } of answers) expect(headers).toMatchObject(expected);
  });

  test("a request without a Host header", async () => {
    const running = await startService();
    const answer = await rawAnswer(running.url, ["GET /pay/unknown HTTP/1.1"]);
    await running.close();
    expect(answer.status).toBe(400);
    const { "strict-transport-security": _, ...rest } = expected;
    expect(answer.headers).toMatchObject(rest);
    expect(isPage(answer, { state: "refused" })).toBe(true);
  });
});

test("the page contains only the style and the script whose hashes the policy names", async () => {
  const opened = await openAppWithCustomer();
  const { path } = await opened.create();
  const { text } = await opened.visit(path);
  expect(text.split(`<style>${paymentPageStyle}</style>`)).toHaveLength(2);
  expect(text.split(`<script>${paymentPageScript}</script>`)).toHaveLength(2);
  expect(text.match(/<style|<script/g)).toHaveLength(2);
});

test("Strict-Transport-Security is sent only under https", async () => {
  const running = await startService();
  const answer = await fetch(`${running.url}/pay/unknown`);
  await running.close();
  expect(answer.headers.get("strict-transport-security")).toBeNull();
  expect(answer.headers.get("x-frame-options")).toBe("DENY");
});

test("responses of the API have no page headers", async () => {
  const { headers } = await call({ path: "/v1/payments" });
  expect(headers["content-security-policy"]).toBeUndefined();
  expect((await call({ path: "/payments", key: null })).headers["content-type"]).toContain("json");
});

describe("a form sent by", () => {
  test.each<[string, Record<string, string>, boolean]>([
    ["this page, in a browser of today", { "sec-fetch-site": "same-origin" }, true],
    ["this page, whose origin is unknown", { origin: "null" }, true],
    ["this page, by its public address", { origin: "https://payments.test" }, true],
    ["this page, by another address of this service", { origin: "http://localhost:8402" }, true],
    ["no browser", {}, true],
    ["another site", { "sec-fetch-site": "cross-site" }, false],
    ["another site of this domain", { "sec-fetch-site": "same-site" }, false],
    ["another site, its origin unknown", { "sec-fetch-site": "cross-site", origin: "null" }, false],
    ["a browser's address bar", { "sec-fetch-site": "none" }, false],
    ["another origin, in an old browser", { origin: "https://evil.example" }, false],
    ["another port", { origin: "https://payments.test:8443" }, false],
    ["the same host without encryption", { origin: "http://payments.test" }, false],
    ["an origin that begins like this one", { origin: "https://payments.test.evil" }, false],
    ["no origin at all", { origin: "x" }, false],
  ])("%s: %o is accepted: %s", async (_, headers, isAccepted) => {
    const opened = await openAppWithCustomer();
    const { path, created, payment } = await opened.create();
    const answer = await opened.submit(path, visa, {
      headers: { host: "localhost:8402", ...headers },
    });
    expect(answer.status).toBe(isAccepted ? 303 : 403);
    expect(isPage(answer, { state: "refused" })).toBe(!isAccepted);
    expect((await payment()).status).toBe(isAccepted ? "succeeded" : created.status);
    const other = await opened.create();
    const canceled = await opened.submit(`${other.path}/cancel`, "", {
      headers: { host: "localhost:8402", ...headers },
    });
    expect(canceled.status).toBe(isAccepted ? 303 : 403);
  });

  test("a link on another site may open a page", async () => {
    const opened = await openAppWithCustomer();
    const { path } = await opened.create();
    const answer = await opened.visit(path, { "sec-fetch-site": "cross-site" });
    expect(answer.status).toBe(200);
  });
});
