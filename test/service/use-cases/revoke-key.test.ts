import { describe, expect, test } from "vitest";
import { openTestService, startSeconds } from "./open-test-service.ts";

describe("revoking a key", () => {
  test("ends that key, and no other", async () => {
    const { service, time } = await openTestService();
    const gone = await service.createKey({ mode: "test", name: "gone" });
    const kept = await service.createKey({ mode: "test", name: "kept" });
    time.nowMs += 7_000;
    const { key, ...known } = gone;
    const revoked = { ...known, revoked_at: startSeconds + 7 };
    expect(await service.revokeKey(gone.id)).toEqual(revoked);
    const using = service.authenticate(`Bearer ${key}`);
    await expect(using).rejects.toMatchObject({ code: "invalid_api_key" });
    expect(await service.authenticate(`Bearer ${kept.key}`)).toMatchObject({ keyId: kept.id });
  });

  test("twice keeps the time of the first revocation", async () => {
    const { service, time } = await openTestService();
    const { id } = await service.createKey({ mode: "test", name: "shop" });
    await service.revokeKey(id);
    time.nowMs += 7_000;
    expect(await service.revokeKey(id)).toMatchObject({ revoked_at: startSeconds });
  });

  test("that there is not answers nothing", async () => {
    const { service } = await openTestService();
    expect(await service.revokeKey("key_unknown")).toBeUndefined();
  });
});
