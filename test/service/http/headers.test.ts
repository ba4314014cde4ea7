import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bodyWith } from "../../testkit/api-objects.ts";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import { errorIn, openApp, openAppForTest, refusalOf } from "../../testkit/app/open-app.ts";
import { rawAnswer } from "../../testkit/sockets/raw-sockets.ts";

const { app, call, keys, service, close } = await openApp();
let url = "";
beforeAll(async () => {
  url = await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(close);

const authorization = `Authorization: Bearer ${keys.test}`;
const version = "Service-Version: 2026-11-01";

describe("a header that is sent twice is refused", () => {
  test.each([
    ["Authorization", [authorization, authorization]],
    ["Authorization", [authorization, "Authorization: Bearer x"]],
    ["Authorization", ["Authorization: Bearer x", authorization]],
    ["Authorization", [authorization, authorization.toLowerCase()]],
    ["Authorization", ["Authorization:", authorization]],
    ["Content-Type", [authorization, "Content-Type: application/json", "content-type: text/plain"]],
    ["Content-Type", [authorization, "Content-Type: a", "Content-Type: a"]],
    ["Service-Version", [authorization, version, version]],
    ["Service-Version", [authorization, version, "Service-Version: 2026-12-01"]],
    ["Service-Version", [authorization, version, version.toUpperCase()]],
    ["Idempotency-Key", [authorization, "Idempotency-Key: a", "Idempotency-Key: a"]],
    ["Idempotency-Key", [authorization, "Idempotency-Key: a", "Idempotency-Key: b"]],
    ["Service-Reason", [authorization, "Service-Reason: a", "service-reason: b"]],
  ])("%s", async (param, headers) => {
    for (const method of ["GET", "POST"]) {
      const lines = [`${method} /v1/payments HTTP/1.1`, "Host: payments.test", ...headers];
      const answer = await rawAnswer(url, lines);
      expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
    }
  });

  test.each(["/v1/payments", "/v1/nothing", "/v1/payments/pay_none/refund"])(
    "before the key is checked, so that %s reveals nothing to an invalid key",
    async (path) => {
      const lines = [`GET ${path} HTTP/1.1`, "Host: x", "Authorization: a", "Authorization: b"];
      const answer = await rawAnswer(url, lines);
      expect(refusalOf(answer)).toMatchObject({ status: 400, param: "Authorization" });
      expect(answer.headers["service-version"]).toBeUndefined();
    },
  );

  test("except other headers, and outside the API", async () => {
    const twice = ["X-Trace: 1", "X-Trace: 2"];
    const inside = ["GET /v1/payments HTTP/1.1", "Host: x", authorization, ...twice];
    expect((await rawAnswer(url, inside)).status).toBe(200);
    const outside = ["GET /docs/errors HTTP/1.1", "Host: x", authorization, authorization];
    expect((await rawAnswer(url, outside)).status).toBe(200);
  });
});

test("a service that is attached to a network answers without Service-Network", async () => {
  const { network } = fakeNetwork();
  const attached = await openAppForTest({ network: () => network });
  const live = await attached.call({ method: "POST", body: bodyWith({}), key: "live" });
  expect([live.status, live.headers["service-network"]]).toEqual([201, undefined]);
});

describe("Service-Version", () => {
  test.each([
    ["2026-11-01", "the first version"],
    ["0001-01-01", "a date long before"],
    ["9999-12-31", "a date far ahead"],
  ])("%s, %s, is answered with the version applied", async (date) => {
    const answer = await call({ headers: { "service-version": date } });
    expect(answer.status).toBe(200);
    expect(answer.headers["service-version"]).toBe("2026-11-01");
  });

  test.each(["2026-02-30", "2026-11-01, 2026-11-01", "", "２０２６-11-01"])(
    "%j is refused",
    async (date) => {
      const answer = await call({
        headers: { "service-version": Buffer.from(date).toString("latin1") },
      });
      expect(refusalOf(answer)).toEqual({
        status: 400,
        code: "parameter_invalid",
        param: "Service-Version",
      });
      expect(errorIn(answer).message).toContain("YYYY-MM-DD");
      expect(answer.headers["service-version"]).toBe("2026-11-01");
    },
  );
});

describe("other headers are checked", () => {
  const malformed = { "service-version": "latest", "idempotency-key": "a b" };

  test.each([
    ["after the route", { path: "/v1/nothing", headers: malformed }, "endpoint_not_found"],
    [
      "before the media type",
      { method: "POST", headers: malformed, body: "x", type: "text/plain" },
      "parameter_invalid",
    ],
    [
      "before the size",
      { method: "POST", headers: malformed, body: "x".repeat(70_000) },
      "parameter_invalid",
    ],
    [
      "before the payment",
      { path: "/v1/payments/pay_none", headers: malformed },
      "parameter_invalid",
    ],
  ])("%s", async (_, request, code) => {
    expect(refusalOf(await call(request)).code).toBe(code);
  });
});

const reason = "Zweimal gebucht 😀: 100 %";

async function refundWith(header: string, key = "reason") {
  const created = await call({ method: "POST", body: bodyWith({}) });
  const { id } = JSON.parse(created.text) as { id: string };
  const send = async (text: string) =>
    call({
      method: "POST",
      path: `/v1/payments/${id}/refund`,
      headers: { "service-reason": text, "idempotency-key": key + id },
    });
  const [account] = await service.listAccounts();
  const readDetails = async () => {
    const { items } = await service.listActivity(account?.id ?? "", { limit: 100 });
    return items.filter(({ subject }) => subject.id === id).map(({ detail }) => detail);
  };
  return { answer: await send(header), send, readDetails };
}

describe("Service-Reason", () => {
  test("of a refund stands in the activity log, as it was given", async () => {
    const { answer, readDetails } = await refundWith(encodeURIComponent(reason));
    expect(answer.status).toBe(200);
    expect(await readDetails()).toEqual([reason]);
  });

  test("has no part in what an idempotency key names", async () => {
    const { answer, send, readDetails } = await refundWith("First");
    const again = await send("Second");
    expect([again.headers["idempotent-replayed"], again.text]).toEqual(["true", answer.text]);
    expect(await readDetails()).toEqual(["First"]);
  });

  test.each([
    "",
    "%20",
    "%",
    "%FF",
    "a%00b",
    "a%0Ab",
    "%61".repeat(501),
    "Card 4242 4242 4242 4242",
    "4242%E2%80%894242%204242%204242",
    `The key svc_live_sk_${"a".repeat(43)}`,
  ])("%j is refused, and nothing is refunded", async (header) => {
    const { answer, readDetails } = await refundWith(header);
    const param = "Service-Reason";
    expect(refusalOf(answer)).toEqual({ status: 400, code: "parameter_invalid", param });
    expect(answer.text).not.toContain("4242");
    expect(await readDetails()).toEqual([]);
  });

  test("may have 500 characters, whatever their bytes", async () => {
    const longest = "😀".repeat(500);
    const { readDetails } = await refundWith(encodeURIComponent(longest));
    expect(await readDetails()).toEqual([longest]);
  });
});

describe("a key", () => {
  test("that was revoked ends a wait for events", async () => {
    const issued = await service.createKey({ mode: "test", name: "leaving" });
    const post = async (path: string, body: object) =>
      call({
        method: "POST",
        path: `/v1/webhook_endpoints${path}`,
        key: null,
        headers: { authorization: `Bearer ${issued.key}` },
        body,
      });
    const { id } = JSON.parse((await post("", { url: null })).text) as { id: string };
    await post(`/${id}/start`, {});
    const waiting = post(`/${id}/take`, { wait_seconds: 25 });
    await service.revokeKey(issued);
    expect((await waiting).status).toBe(401);
  });

  test("that is refused gets the same message for every reason", async () => {
    const messages = await Promise.all(
      ["", "Bearer x", `Bearer svc_test_sk_${"A".repeat(43)}`].map(async (value) => {
        const answer = await call({ key: null, headers: { authorization: value } });
        return errorIn(answer).message;
      }),
    );
    expect(new Set(messages).size).toBe(1);
  });
});
