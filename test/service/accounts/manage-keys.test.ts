import { describe, expect, test } from "vitest";
import { apiKeyPattern } from "../../../src/contract/administration.ts";
import { permissions } from "../../../src/contract/field-values.ts";
import { openTestService, startMs, startSeconds } from "../../testkit/service/open-test-service.ts";

const name = "shop";
const hourMs = 3_600_000;

async function openWithKey() {
  const opened = await openTestService();
  const { service } = opened;
  const old = await service.createKey({ mode: "live", name });
  return {
    ...opened,
    old,
    areAccepted: async (...keys: (string | undefined)[]) => {
      const uses = keys.map(async (key) => service.authenticate(`Bearer ${key}`));
      return (await Promise.allSettled(uses)).map(({ status }) => status === "fulfilled");
    },
  };
}

describe("creating a key", () => {
  test.each(["test", "live"] as const)(
    "returns the whole %s key, and lists it without its secret",
    async (mode) => {
      const { service, test: scope } = await openTestService();
      expect(await service.listKeys()).toEqual([]);
      const issued = await service.createKey({ mode, name });
      expect(issued).toEqual({
        id: expect.stringMatching(/^key_[0-9a-f-]{36}$/) as unknown,
        object: "api_key",
        account: scope.accountId,
        mode,
        name,
        key: expect.stringMatching(apiKeyPattern) as unknown,
        last4: issued.key.slice(-4),
        created: startSeconds,
        expires_at: null,
        revoked_at: null,
        last_used_at: null,
        permissions,
        max_refund: null,
      });
      expect(issued.key).toMatch(new RegExp(`^svc_${mode}_sk_`));
      const { key: _, ...rest } = issued;
      expect(await service.listKeys()).toEqual([rest]);
    },
  );

  test("refuses one that would end after the year 9999", async () => {
    const { service } = await openTestService();
    const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
    const create = async (expiresAt: number) =>
      service.createKey({ mode: "test", name, expires_at: expiresAt });
    await expect(create(last + 1)).rejects.toMatchObject({
      code: "parameter_invalid",
      param: "expires_at",
    });
    expect(await service.listKeys()).toEqual([]);
    expect(await create(last)).toMatchObject({ expires_at: last });
  });

  test("makes a new key each time; all of them work", async () => {
    const { service } = await openTestService();
    const creating = [1, 2, 3].map(async () => service.createKey({ mode: "test", name }));
    const issued = await Promise.all(creating);
    expect(new Set(issued.map(({ key }) => key)).size).toBe(3);
    for (const { id, key } of issued)
      expect(await service.authenticate(`Bearer ${key}`)).toMatchObject({ keyId: id });
  });
});

describe("adopting a key made elsewhere", () => {
  const secret = `svc_live_sk_${"a".repeat(43)}`;
  const adopted = { mode: "live", name } as const;

  test("stores it once, even if two processes do so at once", async () => {
    const { service, store } = await openTestService();
    const replica = await openTestService({ store });
    const services = [service, replica.service, service];
    await Promise.all(services.map(async (each) => each.adoptKey(secret, adopted)));
    await service.adoptKey(secret, { mode: "live", name: "another name" });
    expect(await service.listKeys()).toMatchObject([{ mode: "live", name, last4: "aaaa" }]);
    const principal = await service.authenticate(`Bearer ${secret}`);
    expect(principal.scope.livemode).toBe(true);
  });

  test("does not reactivate a revoked key", async () => {
    const { service } = await openTestService();
    await service.adoptKey(secret, adopted);
    const [known] = await service.listKeys();
    await service.revokeKey(known!);
    expect(await service.adoptKey(secret, adopted)).toBe(false);
    const using = service.authenticate(`Bearer ${secret}`);
    await expect(using).rejects.toMatchObject({ code: "invalid_api_key" });
  });
});

describe("rolling a key", () => {
  test("makes a successor of the same mode and name; both work until the overlap has passed", async () => {
    const { service, old, areAccepted, time } = await openWithKey();
    const successor = await service.rollKey(old, hourMs);
    expect(successor).toMatchObject({ mode: "live", name, expires_at: null });
    expect(successor?.id).not.toBe(old.id);
    time.nowMs = startMs + hourMs - 1;
    expect(await areAccepted(old.key, successor?.key)).toEqual([true, true]);
    time.nowMs = startMs + hourMs;
    expect(await areAccepted(old.key, successor?.key)).toEqual([false, true]);
  });

  test("without an overlap ends the old key at once", async () => {
    const { service, old, areAccepted } = await openWithKey();
    const successor = await service.rollKey(old, 0);
    expect(await areAccepted(old.key, successor?.key)).toEqual([false, true]);
  });

  test("does not cut an overlap short by rounding to a second", async () => {
    const { service, old } = await openWithKey();
    await service.rollKey(old, 1);
    expect(await service.listKeys()).toMatchObject([{ expires_at: startSeconds + 1 }, {}]);
  });

  test("that has ended, or does not exist, creates no key", async () => {
    const { service, old } = await openWithKey();
    const revoked = await service.createKey({ mode: "test", name });
    await service.revokeKey(revoked);
    await service.rollKey(old, 0);
    const before = await service.listKeys();
    for (const key of [old, revoked, { ...old, id: "key_unknown" }, { ...old, account: "acct_2" }])
      expect(await service.rollKey(key, hourMs)).toBeUndefined();
    expect(await service.listKeys()).toEqual(before);
  });
});

test("revoking ends one key for good, at the time of the first revocation", async () => {
  const { service, old, areAccepted, time } = await openWithKey();
  const other = await service.createKey({ mode: "test", name: "other" });
  const { key, ...known } = old;
  time.nowMs += 7_000;
  const revoked = { ...known, revoked_at: startSeconds + 7 };
  expect(await service.revokeKey(old)).toEqual(revoked);
  expect(await areAccepted(key, other.key)).toEqual([false, true]);
  time.nowMs += 7_000;
  expect(await service.revokeKey(old)).toMatchObject(revoked);
  expect(await service.listKeys()).toMatchObject([revoked, { id: other.id, revoked_at: null }]);
  expect(await service.revokeKey({ ...old, id: "key_unknown" })).toBeUndefined();
});
