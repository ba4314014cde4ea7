import { expect, test } from "vitest";
import { openTestService, startSeconds } from "./open-test-service.ts";

test("keys are listed oldest first, the ended ones too", async () => {
  const { service } = await openTestService();
  const first = await service.createKey({ mode: "test", name: "first" });
  const second = await service.createKey({ mode: "live", name: "second" });
  const successor = await service.rollKey(second.id, 0);
  await service.revokeKey(first.id);
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
