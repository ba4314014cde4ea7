import { afterAll, describe, expect, test } from "vitest";
import { openApp } from "../../testkit/app/open-app.ts";
import { refusalOf } from "../../testkit/app/refusal-of.ts";

const { app, call, service, close } = await openApp();
afterAll(close);
const path = "/v1/account";

async function accountOf(key: string): Promise<unknown> {
  const answer = await app.inject({ url: path, headers: { authorization: `Bearer ${key}` } });
  expect(answer.statusCode).toBe(200);
  return JSON.parse(answer.body);
}

describe("GET /v1/account", () => {
  test.each(["test", "live"] as const)("tells a %s key its account", async (key) => {
    const answer = await call({ path, key });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Object.entries(JSON.parse(answer.text) as object)).toEqual([
      ["id", expect.stringMatching(/^acct_/)],
      ["object", "account"],
      ["name", "Default"],
      ["default_version", "2026-11-01"],
      ["livemode", key === "live"],
    ]);
  });

  test("tells each key its own, under the name that it has by now", async () => {
    const { id } = await service.createAccount({ name: "Books" });
    const { key } = await service.createKey({ account: id, mode: "live", name: "shop" });
    expect(await accountOf(key)).toMatchObject({ id, name: "Books", livemode: true });
    await service.renameAccount(id, "Books & Co");
    expect(await accountOf(key)).toMatchObject({ id, name: "Books & Co" });
    expect(JSON.parse((await call({ path })).text)).toMatchObject({ name: "Default" });
  });

  test("takes no parameters, and needs a key", async () => {
    const param = "id";
    expect(refusalOf(await call({ path: `${path}?id=acct_1` }))).toEqual({
      status: 400,
      code: "parameter_unknown",
      param,
    });
    expect(refusalOf(await call({ path, key: null }))).toMatchObject({ code: "invalid_api_key" });
  });
});
