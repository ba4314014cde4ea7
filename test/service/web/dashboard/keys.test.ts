import { expect, test } from "vitest";
import {
  command,
  formKeyOf,
  openDashboard,
  secretOf,
  textOf,
} from "../../../testkit/pages/open-dashboard.ts";

/** An admin, and the page of the keys of a mode. */
async function openKeys(mode: "test" | "live" = "test") {
  const opened = await openDashboard();
  const { signIn, at, service, accountId, call } = opened;
  return {
    ...opened,
    ...(await signIn()),
    page: at("/keys", mode),
    make: async (name: string) => service.createKey({ account: accountId, mode, name }, command),
    accepts: async (key: string) =>
      (await call({ key: null, headers: { authorization: `Bearer ${key}` } })).status === 200,
  };
}

test("the page lists the keys of the account and mode, newest first, with last four characters and state", async () => {
  const { get, page, make, service, at, accepts } = await openKeys();
  const other = await service.createAccount({ name: "Other" });
  await service.createKey({ account: other.id, mode: "test", name: "of another" });
  const revoked = await make("old");
  await service.revokeKey(revoked);
  const rolled = await make("shop");
  const successor = await service.rollKey(rolled, 3_600_000);
  const expired = await make("gone");
  await service.rollKey(expired, 0);
  await expect.poll(async () => accepts(expired.key)).toBe(false); // expiry is in whole seconds

  const answer = await get(page);
  expect(textOf(answer)).toMatch(
    new RegExp(
      `gone svc_test_sk_…\\w{4} active.*gone svc_test_sk_…${expired.last4} expired.*shop svc_test_sk_…${successor?.last4} active.*shop svc_test_sk_…${rolled.last4} expires.*old.*…${revoked.last4} revoked`,
    ),
  );
  expect(textOf(answer)).not.toMatch(/of another|svc_live/);
  expect(answer.text).not.toContain(`/keys/${revoked.id}/`);
  expect(answer.text).not.toContain(`/keys/${expired.id}/`);
  expect(answer.text).toContain(at(`/keys/${rolled.id}/revoke`));
  expect(answer.text).not.toContain(rolled.key);
});

test("an account without keys gets an explanation, with a request that uses a key", async () => {
  const { signIn, at, service } = await openDashboard();
  const other = await service.createAccount({ name: "Other" });
  const { get } = await signIn("admin", { accounts: [other.id] });
  const text = textOf(await get(at("/keys", "live", other.id)));
  expect(text).toContain("No live keys yet");
  expect(text).toContain("curl https://payments.test/v1/payments");
});

test("a new key works, and the audit log names the operator", async () => {
  const { get, post, page, accepts, service, accountId, operatorId } = await openKeys("live");
  const answer = await post(page, { key: formKeyOf(await get(page)), name: "checkout" });
  expect(secretOf(answer)).toMatch(/^svc_live_sk_/);
  expect(await accepts(secretOf(answer) ?? "")).toBe(true);
  const [entry] = (await service.listActivity(accountId, { limit: 1 })).items;
  const actor = { type: "operator", id: operatorId, name: "Ada" };
  expect(entry).toMatchObject({ action: "api_key.created", actor, livemode: true });
});

test("a rolled key works until the overlap ends", async () => {
  const { get, post, page, make, accepts, service, accountId } = await openKeys();
  const old = await make("shop");
  const form = await get(`${page}/${old.id}/roll`);
  expect(form.text).toMatch(/<option value="24"\s+selected/);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const answer = await post(`${page}/${old.id}/roll`, { key: formKeyOf(form), overlap: "1" });
  expect(await accepts(secretOf(answer) ?? "")).toBe(true);
  expect(await accepts(old.key)).toBe(true);
  const { expires_at: end } = (await service.listKeys(accountId)).find(({ id }) => id === old.id)!;
  expect(end).toBeGreaterThanOrEqual(nowSeconds + 3600);
});

test("an expired or revoked key cannot be rolled", async () => {
  const { get, post, page, make, accepts } = await openKeys();
  const [rolled, revoked] = [await make("shop"), await make("ci")];
  const form = { key: formKeyOf(await get(`${page}/${rolled.id}/roll`)), overlap: "0" };
  await post(`${page}/${rolled.id}/roll`, form);
  await post(`${page}/${revoked.id}/revoke`);
  for (const { id, key } of [rolled, revoked]) {
    await expect.poll(async () => accepts(key)).toBe(false); // expiry is in whole seconds
    expect((await get(`${page}/${id}/roll`)).status).toBe(404);
    expect((await get(`${page}/${id}/revoke`)).status).toBe(404);
    expect(
      (await post(`${page}/${id}/roll`, { key: crypto.randomUUID(), overlap: "0" })).status,
    ).toBe(404);
  }
});
