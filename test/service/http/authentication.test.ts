import { afterAll, describe, expect, test } from "vitest";
import { openApp } from "../../testkit/app/open-app.ts";
import { errorIn, refusalOf } from "../../testkit/app/refusal-of.ts";

const { app, call, keys, service, close } = await openApp();
afterAll(close);

const refused = { status: 401, code: "invalid_api_key", param: null };
const secret = keys.test.slice("svc_test_sk_".length);

async function statusWith(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await call({ key: null, headers })).status;
}

describe("a key", () => {
  test.each([
    ["Bearer", (key: string) => `Bearer ${key}`],
    ["bearer", (key: string) => `bearer ${key}`],
    ["BEARER and spaces", (key: string) => `BEARER   ${key}  `],
  ])("is accepted after %s", async (_, authorization) => {
    const answer = await call({ key: null, headers: { authorization: authorization(keys.test) } });
    expect(answer.status).toBe(200);
  });

  test.each([
    ["no header", undefined],
    ["no scheme", keys.test],
    ["another scheme", `Basic ${keys.test}`],
    ["the scheme joined to the key", `Bearer${keys.test}`],
    ["two keys", `Bearer ${keys.test} ${keys.test}`],
    ["two keys with a comma", `Bearer ${keys.test}, Bearer ${keys.test}`],
    ["a key that is too long", `Bearer ${keys.test}x`],
    ["a key without its prefix", `Bearer ${secret}`],
    ["the prefix of the other mode", `Bearer svc_live_sk_${secret}`],
    ["an unknown key", `Bearer svc_test_sk_${"A".repeat(43)}`],
    ["characters outside ASCII", `Bearer svc_test_sk_${"é".repeat(43)}`],
  ])("is refused with %s", async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await call({ key: null, headers });
    expect(refusalOf(answer)).toEqual(refused);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.text).not.toContain(secret);
    expect(answer.headers["service-version"]).toBeUndefined();
  });

  test("is not read from the query", async () => {
    const answer = await call({ key: null, path: `/v1/payments?api_key=${keys.test}` });
    expect(refusalOf(answer)).toEqual(refused);
  });

  test("that was revoked is refused soon after", async () => {
    const issued = await service.createKey({ mode: "test", name: "leaving" });
    expect(await statusWith(issued.key)).toBe(200);
    await service.revokeKey(issued);
    await expect.poll(async () => statusWith(issued.key)).toBe(401);
  });

  test("that was rolled without an overlap is refused, and its successor accepted", async () => {
    const issued = await service.createKey({ mode: "live", name: "rolling" });
    const successor = await service.rollKey(issued, 0);
    await expect.poll(async () => statusWith(issued.key)).toBe(401);
    expect(await statusWith(successor?.key ?? "")).toBe(200);
  });

  test("that is refused gets the same message for every reason", async () => {
    const messages = await Promise.all(
      ["", "Bearer x", `Bearer svc_test_sk_${"A".repeat(43)}`].map(async (authorization) => {
        const answer = await call({ key: null, headers: { authorization } });
        return errorIn(answer).message;
      }),
    );
    expect(new Set(messages).size).toBe(1);
  });
});

describe("without a valid key", () => {
  test.each([
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/v1?limit=5"],
    ["GET", "/v1/nothing"],
    ["HEAD", "/v1/payments"],
    ["QUERY", "/v1/payments"],
    ["GET", "/v1/%zz"],
    ["GET", "/v1/payments/%ff"],
  ])("%s %s is answered 401", async (method, url) => {
    const answer = await app.inject({ method: method as "GET", url });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.headers["allow"]).toBeUndefined();
    expect(answer.headers["service-request-id"]).toMatch(/^req_/);
  });

  test.each(["/nothing", "/v2/payments", "/v10/payments", "/"])(
    "%s, which is outside the API, is not found",
    async (path) => {
      const answer = await call({ key: null, path });
      expect(refusalOf(answer)).toEqual({ status: 404, code: "endpoint_not_found", param: null });
    },
  );
});
