import { describe, expect, test } from "vitest";
import { openTestService, startMs, startSeconds } from "./open-test-service.ts";

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
    const successor = await service.rollKey(old.id, hourMs);
    expect(successor).toMatchObject({ mode: "live", name: "shop", expires_at: null });
    expect(successor?.key).not.toBe(old.key);
    expect(successor?.id).not.toBe(old.id);
  });

  test("lets both work until the overlap has passed", async () => {
    const { service, old, works, time } = await openWithKey();
    const successor = await service.rollKey(old.id, hourMs);
    time.nowMs = startMs + hourMs - 1;
    expect([await works(old.key), await works(successor?.key)]).toEqual([true, true]);
    time.nowMs = startMs + hourMs;
    expect([await works(old.key), await works(successor?.key)]).toEqual([false, true]);
  });

  test("without an overlap ends the old one at once", async () => {
    const { service, old, works } = await openWithKey();
    const successor = await service.rollKey(old.id, 0);
    expect([await works(old.key), await works(successor?.key)]).toEqual([false, true]);
  });

  test("never cuts an overlap short by rounding to a second", async () => {
    const { service, old } = await openWithKey();
    await service.rollKey(old.id, 1);
    expect(await service.listKeys()).toMatchObject([{ expires_at: startSeconds + 1 }, {}]);
  });

  test("again does not prolong the old one's life", async () => {
    const { service, old } = await openWithKey();
    await service.rollKey(old.id, 5_000);
    await service.rollKey(old.id, hourMs);
    const [first] = await service.listKeys();
    expect(first).toMatchObject({ id: old.id, expires_at: startSeconds + 5 });
  });

  test("that has ended, or that there is not, makes nothing", async () => {
    const { service, old } = await openWithKey();
    const revoked = await service.createKey({ mode: "test", name: "revoked" });
    await service.revokeKey(revoked.id);
    await service.rollKey(old.id, 0);
    const before = await service.listKeys();
    for (const id of [old.id, revoked.id, "key_unknown"])
      expect(await service.rollKey(id, hourMs)).toBeUndefined();
    expect(await service.listKeys()).toEqual(before);
  });
});
