import { describe, expect, test } from "vitest";
import { apiKeyPattern } from "../../../src/contract/key.ts";
import { openTestService, startMs, startSeconds } from "../../testkit/service/open-test-service.ts";

const name = "shop";

describe("creating a key", () => {
  test.each(["test", "live"] as const)("shows a %s key whole, this once", async (mode) => {
    const { service, test: scope } = await openTestService();
    const { accountId } = scope;
    const issued = await service.createKey({ mode, name });
    expect(issued).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f-]{36}$/),
      object: "api_key",
      account: accountId,
      mode,
      name,
      key: expect.stringMatching(apiKeyPattern),
      last4: issued.key.slice(-4),
      created: startSeconds,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    });
    expect(issued.key).toMatch(new RegExp(`^svc_${mode}_sk_`));
    const { key, ...rest } = issued;
    expect(await service.listKeys()).toEqual([rest]);
    expect(JSON.stringify(await service.listKeys())).not.toContain(key);
  });

  test("makes another one each time; all of them work", async () => {
    const { service } = await openTestService();
    const keys = [1, 2, 3].map(async () => service.createKey({ mode: "test", name }));
    const issued = await Promise.all(keys);
    expect(new Set(issued.map(({ key }) => key)).size).toBe(3);
    for (const { id, key } of issued)
      expect(await service.authenticate(`Bearer ${key}`)).toMatchObject({ keyId: id });
  });
});

describe("adopting a key made elsewhere", () => {
  const secret = `svc_live_sk_${"a".repeat(43)}`;

  test("makes it known, with its mode", async () => {
    const { service } = await openTestService();
    await service.adoptKey(secret, { mode: "live", name });
    const principal = await service.authenticate(`Bearer ${secret}`);
    expect(principal.scope.livemode).toBe(true);
    expect(await service.listKeys()).toMatchObject([{ mode: "live", name, last4: "aaaa" }]);
  });

  test("twice, also at once and by two processes, keeps one", async () => {
    const { service, store } = await openTestService();
    const replica = await openTestService({ store });
    const adopting = [service, replica.service, service].map(async (each) =>
      each.adoptKey(secret, { mode: "live", name }),
    );
    await Promise.all(adopting);
    await service.adoptKey(secret, { mode: "live", name: "another name" });
    expect(await service.listKeys()).toMatchObject([{ name }]);
  });

  test("does not bring a revoked one back", async () => {
    const { service } = await openTestService();
    await service.adoptKey(secret, { mode: "live", name });
    const [known] = await service.listKeys();
    await service.revokeKey(known!);
    await service.adoptKey(secret, { mode: "live", name });
    const using = service.authenticate(`Bearer ${secret}`);
    await expect(using).rejects.toMatchObject({ code: "invalid_api_key" });
  });
});

test("keys are listed oldest first, the ended ones too", async () => {
  const { service } = await openTestService();
  const first = await service.createKey({ mode: "test", name: "first" });
  const second = await service.createKey({ mode: "live", name: "second" });
  const successor = await service.rollKey(second, 0);
  await service.revokeKey(first);
  expect(await service.listKeys()).toMatchObject([
    { id: first.id, revoked_at: startSeconds },
    { id: second.id, expires_at: startSeconds },
    { id: successor?.id, expires_at: null, revoked_at: null },
  ]);
});

test("a new database has no keys", async () => {
  const { service } = await openTestService();
  expect(await service.listKeys()).toEqual([]);
});

const hourMs = 3_600_000;

async function openWithKey() {
  const opened = await openTestService();
  const old = await opened.service.createKey({ mode: "live", name: "shop" });
  const works = async (key: string | undefined) =>
    opened.service.authenticate(`Bearer ${key}`).then(
      () => true,
      () => false,
    );
  return { ...opened, old, works };
}

describe("rolling a key", () => {
  test("makes a successor of the same mode and name", async () => {
    const { service, old } = await openWithKey();
    const successor = await service.rollKey(old, hourMs);
    expect(successor).toMatchObject({ mode: "live", name: "shop", expires_at: null });
    expect(successor?.key).not.toBe(old.key);
    expect(successor?.id).not.toBe(old.id);
  });

  test("lets both work until the overlap has passed", async () => {
    const { service, old, works, time } = await openWithKey();
    const successor = await service.rollKey(old, hourMs);
    time.nowMs = startMs + hourMs - 1;
    expect([await works(old.key), await works(successor?.key)]).toEqual([true, true]);
    time.nowMs = startMs + hourMs;
    expect([await works(old.key), await works(successor?.key)]).toEqual([false, true]);
  });

  test("without an overlap ends the old one at once", async () => {
    const { service, old, works } = await openWithKey();
    const successor = await service.rollKey(old, 0);
    expect([await works(old.key), await works(successor?.key)]).toEqual([false, true]);
  });

  test("never cuts an overlap short by rounding to a second", async () => {
    const { service, old } = await openWithKey();
    await service.rollKey(old, 1);
    expect(await service.listKeys()).toMatchObject([{ expires_at: startSeconds + 1 }, {}]);
  });

  test("again does not prolong the old one's life", async () => {
    const { service, old } = await openWithKey();
    await service.rollKey(old, 5_000);
    await service.rollKey(old, hourMs);
    const [first] = await service.listKeys();
    expect(first).toMatchObject({ id: old.id, expires_at: startSeconds + 5 });
  });

  test("that has ended, or that there is not, makes nothing", async () => {
    const { service, old } = await openWithKey();
    const revoked = await service.createKey({ mode: "test", name: "revoked" });
    await service.revokeKey(revoked);
    await service.rollKey(old, 0);
    const before = await service.listKeys();
    for (const key of [old, revoked, { ...old, id: "key_unknown" }, { ...old, account: "acct_2" }])
      expect(await service.rollKey(key, hourMs)).toBeUndefined();
    expect(await service.listKeys()).toEqual(before);
  });
});

describe("revoking a key", () => {
  test("ends that key, and no other", async () => {
    const { service, time } = await openTestService();
    const gone = await service.createKey({ mode: "test", name: "gone" });
    const kept = await service.createKey({ mode: "test", name: "kept" });
    time.nowMs += 7_000;
    const { key, ...known } = gone;
    const revoked = { ...known, revoked_at: startSeconds + 7 };
    expect(await service.revokeKey(gone)).toEqual(revoked);
    const using = service.authenticate(`Bearer ${key}`);
    await expect(using).rejects.toMatchObject({ code: "invalid_api_key" });
    expect(await service.authenticate(`Bearer ${kept.key}`)).toMatchObject({ keyId: kept.id });
  });

  test("twice keeps the time of the first revocation", async () => {
    const { service, time } = await openTestService();
    const key = await service.createKey({ mode: "test", name: "shop" });
    await service.revokeKey(key);
    time.nowMs += 7_000;
    expect(await service.revokeKey(key)).toMatchObject({ revoked_at: startSeconds });
  });

  test("that there is not answers nothing", async () => {
    const { service, test: scope } = await openTestService();
    const key = { account: scope.accountId, id: "key_unknown" };
    expect(await service.revokeKey(key)).toBeUndefined();
  });
});
