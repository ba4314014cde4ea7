import { describe, expect, test } from "vitest";
import type { Mode } from "../../../../src/contract/key.ts";
import { formKeyIn, secretIn } from "../../../testkit/pages/form-in.ts";
import { command, openDashboard, saidIn } from "../../../testkit/pages/open-dashboard.ts";

/** Somebody who may manage keys, and what the service knows of those with a name. */
async function openKeys(mode: Mode = "test") {
  const opened = await openDashboard();
  const { signIn, at, service, accountId, call } = opened;
  const { get, post, operatorId } = await signIn();
  const page = at("/keys", mode);
  return {
    ...opened,
    get,
    post,
    operatorId,
    page,
    make: async (name: string) => service.createKey({ account: accountId, mode, name }, command),
    named: async (name: string) =>
      (await service.listKeys(accountId)).filter((key) => key.name === name),
    accepts: async (key: string) =>
      (await call({ key: null, headers: { authorization: `Bearer ${key}` } })).status === 200,
    done: async (action: string) => {
      const { items } = await service.listActivity(accountId, { limit: 100 });
      return items.filter((each) => each.action === action);
    },
  };
}

describe("the keys", () => {
  test("are those of the account and mode, newest first, with their last four and their state", async () => {
    const { get, page, make, service, at, accepts } = await openKeys();
    const other = await service.createAccount({ name: "Other" });
    await service.createKey({ account: other.id, mode: "test", name: "of another" });
    const revoked = await make("<i>old</i>");
    await service.revokeKey(revoked);
    const rolled = await make("shop");
    const successor = await service.rollKey(rolled, 3_600_000);
    const expired = await make("gone");
    await service.rollKey(expired, 0);
    await expect.poll(async () => accepts(expired.key)).toBe(false); // it ends with the second

    const answer = await get(page);
    expect(answer.status).toBe(200);
    const said = saidIn(answer);
    expect(said).toMatch(
      new RegExp(
        `gone svc_test_sk_…\\w{4} active.*gone svc_test_sk_…${expired.last4} expired.*shop svc_test_sk_…${successor?.last4} active.*shop svc_test_sk_…${rolled.last4} expires.*old.*…${revoked.last4} revoked`,
      ),
    );
    expect(answer.text).toContain("&lt;i&gt;old");
    expect(said).not.toContain("of another");
    expect(said).not.toContain("svc_live");
    expect(answer.text).not.toContain(`/keys/${revoked.id}/`);
    expect(answer.text).not.toContain(`/keys/${expired.id}/`);
    expect(answer.text).toContain(at(`/keys/${rolled.id}/revoke`));
    expect(answer.text).not.toContain(rolled.key);
  });

  test("that are not there yet are explained, with a request that uses one", async () => {
    const { signIn, at, service } = await openDashboard();
    const other = await service.createAccount({ name: "Other" });
    const { get } = await signIn("admin", { accounts: [other.id] });
    const said = saidIn(await get(at("/keys", "live", other.id)));
    expect(said).toContain("No live keys yet");
    expect(said).toContain("curl https://payments.test/v1/payments");
  });
});

describe("a new key", () => {
  test("is shown by the answer to its form, this once, and works", async () => {
    const { get, post, page, named, accepts, done, operatorId } = await openKeys("live");
    const key = formKeyIn(await get(page));
    const answer = await post(page, { key, name: "checkout <b>" });
    expect(answer.status).toBe(201);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const secret = secretIn(answer) ?? "";
    expect(secret).toMatch(/^svc_live_sk_/);
    expect(answer.text.split(secret)).toHaveLength(2);
    expect(answer.text).toContain("checkout &lt;b&gt;");
    expect(await accepts(secret)).toBe(true);

    const again = await post(page, { key, name: "checkout <b>" });
    expect(again.status).toBe(409);
    expect(again.text).not.toContain(secret);
    expect(saidIn(again)).toContain(
      "This form was already submitted, and nothing was created again.",
    );
    expect(await named("checkout <b>")).toHaveLength(1);
    expect((await get(page)).text).not.toContain(secret);
    const actor = { type: "operator", id: operatorId, name: "Ada" };
    expect(await done("api_key.created")).toMatchObject([{ actor, livemode: true }]);
  });

  test("is made once by a form that is sent twice at once", async () => {
    const { get, post, page, named } = await openKeys();
    const key = formKeyIn(await get(page));
    const answers = await Promise.all([1, 2].map(async () => post(page, { key, name: "twice" })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
    expect(await named("twice")).toHaveLength(1);
  });

  test.each([
    ["", "The name is empty."],
    ["x".repeat(201), "The name must be 1 to 200 characters"],
    ["4242 4242 4242 4242", "The name must not hold a card number"],
  ])("is not made by the name %j, which comes back with what is wrong", async (name, mistake) => {
    const { get, post, page, named } = await openKeys();
    const key = formKeyIn(await get(page));
    const answer = await post(page, { key, name });
    expect(answer.status).toBe(422);
    expect(saidIn(answer)).toContain(mistake);
    expect(answer.text).toContain(`value="${name}"`);
    expect(await named(name)).toEqual([]);
    expect((await post(page, { key, name: "better" })).status).toBe(201);
  });

  test.each([
    [{ name: "x" }, 400],
    [{ key: "two words", name: "x" }, 400],
    [{ key: "k", name: "x", mode: "live" }, 400],
  ])("is not made by a form that the page does not have: %j", async (fields, status) => {
    const { post, page, named } = await openKeys();
    expect((await post(page, fields)).status).toBe(status);
    expect(await named("x")).toEqual([]);
  });
});

describe("a key that is rolled", () => {
  test("has a successor, shown once, and works on for the overlap", async () => {
    const { get, post, page, make, named, accepts, done } = await openKeys();
    const old = await make("shop");
    const asks = await get(`${page}/${old.id}/roll`);
    expect(saidIn(asks)).toContain("You get a new key of the same name");
    expect(asks.text).toMatch(/<option value="24"\s+selected/);
    const form = { key: formKeyIn(asks), overlap: "1" };
    const nowSeconds = Math.floor(Date.now() / 1000);
    const answer = await post(`${page}/${old.id}/roll`, form);
    expect(answer.status).toBe(201);
    expect(await accepts(secretIn(answer) ?? "")).toBe(true);
    expect(await accepts(old.key)).toBe(true);
    const again = await post(`${page}/${old.id}/roll`, form);
    expect(again.status).toBe(409);
    expect(secretIn(again)).toBeUndefined();
    expect(await named("shop")).toHaveLength(2);
    const before = (await named("shop")).find(({ id }) => id === old.id);
    expect(before?.expires_at).toBeGreaterThanOrEqual(nowSeconds + 3600);
    expect(await done("api_key.rolled")).toHaveLength(1);
  });

  test("may end at once, and then is not rolled again", async () => {
    const { get, post, page, make, accepts } = await openKeys();
    const old = await make("shop");
    const key = formKeyIn(await get(`${page}/${old.id}/roll`));
    expect((await post(`${page}/${old.id}/roll`, { key, overlap: "0" })).status).toBe(201);
    await expect.poll(async () => accepts(old.key)).toBe(false); // it ends with the second
    expect((await get(`${page}/${old.id}/roll`)).status).toBe(404);
    expect((await post(`${page}/${old.id}/roll`, { key, overlap: "0" })).status).toBe(409);
  });

  test("has no other overlap than those offered", async () => {
    const { get, post, page, make, named } = await openKeys();
    const old = await make("shop");
    const key = formKeyIn(await get(`${page}/${old.id}/roll`));
    expect((await post(`${page}/${old.id}/roll`, { key, overlap: "9999" })).status).toBe(400);
    expect(await named("shop")).toHaveLength(1);
  });
});

describe("a key that is revoked", () => {
  test("is asked for again, and then works no more", async () => {
    const { get, post, page, make, accepts, done } = await openKeys();
    const { id, key } = await make("shop");
    const asks = await get(`${page}/${id}/revoke`);
    expect(saidIn(asks)).toContain("Within a second no request with it is accepted");
    expect(await accepts(key)).toBe(true);
    for (const _ of [1, 2]) {
      const answer = await post(`${page}/${id}/revoke`);
      expect([answer.status, answer.headers["location"]]).toEqual([303, page]);
    }
    await expect.poll(async () => accepts(key)).toBe(false);
    expect(await done("api_key.revoked")).toHaveLength(1);
  });

  test.each(["roll", "revoke"])("or rolled is one of the account and mode: %s", async (what) => {
    const { get, post, page, service, make, accepts, at } = await openKeys();
    const other = await service.createAccount({ name: "Other" });
    const foreign = await service.createKey({ account: other.id, mode: "test", name: "x" });
    const own = await make("own");
    for (const path of [`${page}/${foreign.id}/${what}`, at(`/keys/${own.id}/${what}`, "live")]) {
      const fields = what === "roll" ? { key: crypto.randomUUID(), overlap: "0" } : {};
      expect((await get(path)).status).toBe(404);
      expect((await post(path, fields)).status).toBe(404);
    }
    expect(await accepts(foreign.key)).toBe(true);
    expect(await accepts(own.key)).toBe(true);
  });
});
