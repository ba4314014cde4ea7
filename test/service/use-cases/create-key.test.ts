import { describe, expect, test } from "vitest";
import { apiKeyPattern } from "../../../src/contract/key.ts";
import { openTestService, startSeconds } from "./open-test-service.ts";

const name = "shop";

describe("creating a key", () => {
  test.each(["test", "live"] as const)("shows a %s key whole, this once", async (mode) => {
    const { service } = await openTestService();
    const issued = await service.createKey({ mode, name });
    expect(issued).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f-]{36}$/),
      object: "api_key",
      mode,
      name,
      key: expect.stringMatching(apiKeyPattern),
      last4: issued.key.slice(-4),
      created: startSeconds,
      expires_at: null,
      revoked_at: null,
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
    await service.revokeKey(known?.id ?? "");
    await service.adoptKey(secret, { mode: "live", name });
    const using = service.authenticate(`Bearer ${secret}`);
    await expect(using).rejects.toMatchObject({ code: "invalid_api_key" });
  });
});
