import { describe, expect, test } from "vitest";
import { newestVersion } from "../../../src/contract/headers.ts";
import type { Store } from "../../../src/service/ports/ports.ts";
import {
  openNewStore,
  openTestService,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";
import { firstSecret } from "../../testkit/database/new-account.ts";

const name = "shop";
const refusal = { name: "ServiceError", code: "invalid_api_key", param: null };
const unknown = `svc_test_sk_${"x".repeat(43)}`;

describe("authenticating", () => {
  test.each([
    { mode: "test", livemode: false },
    { mode: "live", livemode: true },
  ] as const)("a $mode key gives the account's $mode mode", async ({ mode, livemode }) => {
    const { service, store } = await openTestService();
    const { id, account: accountId, key } = await service.createKey({ mode, name });
    expect(await service.authenticate(`Bearer ${key}`)).toEqual({
      scope: { accountId, livemode },
      keyId: id,
      actor: { type: "api_key", id, name },
      defaultVersion: newestVersion,
      fingerprintSecret: await firstSecret(store),
    });
  });

  test.each(["Bearer KEY", "bearer KEY", "BEARER KEY", "Bearer   KEY", "Bearer KEY  "])(
    "takes %j",
    async (header) => {
      const { service } = await openTestService();
      const { id, key } = await service.createKey({ mode: "test", name });
      const { keyId } = await service.authenticate(header.replace("KEY", key));
      expect(keyId).toBe(id);
    },
  );

  test.each([
    undefined,
    "",
    "KEY",
    "Bearer",
    "Bearer ",
    "BearerKEY",
    "Basic KEY",
    "Token KEY",
    " Bearer KEY",
    "Bearer\tKEY",
    "Bearer KEY KEY",
    "Bearer KEY,",
    "Bearer KEYx",
    "Bearer xKEY",
    'Bearer "KEY"',
    "Bearer KEY\n",
    `Bearer ${unknown}`,
    "Bearer svc_test_sk_",
  ])("refuses %j, whatever the cause, in the same words", async (header) => {
    const { service } = await openTestService();
    const { key } = await service.createKey({ mode: "test", name });
    const missing = await service.authenticate(undefined).catch((error) => error);
    expect(missing).toMatchObject(refusal);
    const refused = await service.authenticate(header?.replaceAll("KEY", key)).catch((e) => e);
    expect(refused).toMatchObject({ ...refusal, message: missing.message });
  });

  test("refuses the other mode's prefix before a key's secret", async () => {
    const { service } = await openTestService();
    const { key } = await service.createKey({ mode: "test", name });
    const other = service.authenticate(`Bearer ${key.replace("test", "live")}`);
    await expect(other).rejects.toMatchObject(refusal);
  });
});

describe("a key that was seen lately", () => {
  test("is refused everywhere within a second of its revocation", async () => {
    const { service, store, time } = await openTestService();
    const replica = await openTestService({ store });
    const issued = await service.createKey({ mode: "test", name });
    const { key } = issued;
    const header = `Bearer ${key}`;
    await service.authenticate(header);
    await replica.service.authenticate(header);
    await service.revokeKey(issued);
    for (const each of [time, replica.time]) each.nowMs = startMs + 999;
    await expect(service.authenticate(header)).rejects.toMatchObject(refusal);
    await expect(replica.service.authenticate(header)).rejects.toMatchObject(refusal);
  });

  test("is not looked up again within half a second", async () => {
    const { store, lookups } = await countingStore();
    const { service, time } = await openTestService({ store });
    const { key } = await service.createKey({ mode: "test", name });
    const lookupsAt = async (ms: number) => {
      time.nowMs = startMs + ms;
      await service.authenticate(`Bearer ${key}`);
      return lookups();
    };
    expect(await lookupsAt(0)).toBe(1);
    expect(await lookupsAt(499)).toBe(1);
    expect(await lookupsAt(500)).toBe(2);
  });

  test("is looked up again when the clock was set back", async () => {
    const { service, time } = await openTestService();
    const issued = await service.createKey({ mode: "test", name });
    const { key } = issued;
    await service.authenticate(`Bearer ${key}`);
    await service.revokeKey(issued);
    for (const ms of [-3_600_000, 600, 100]) {
      time.nowMs = startMs + ms;
      await expect(service.authenticate(`Bearer ${key}`)).rejects.toMatchObject(refusal);
    }
  });

  test("is refused from the very moment at which it expires", async () => {
    const { service, time } = await openTestService();
    const issued = await service.createKey({ mode: "test", name });
    const { key } = issued;
    await service.rollKey(issued, 10_000);
    time.nowMs = startMs + 9_999;
    expect(await service.authenticate(`Bearer ${key}`)).toMatchObject({ keyId: issued.id });
    time.nowMs = startMs + 10_000;
    await expect(service.authenticate(`Bearer ${key}`)).rejects.toMatchObject(refusal);
  });

  test("is looked up once for all who send it at the same time", async () => {
    const { store, lookups } = await countingStore();
    const { service } = await openTestService({ store });
    const { id, key } = await service.createKey({ mode: "test", name });
    const all = Array.from({ length: 100 }, async () => service.authenticate(`Bearer ${key}`));
    expect(new Set((await Promise.all(all)).map(({ keyId }) => keyId))).toEqual(new Set([id]));
    expect(lookups()).toBe(1);
  });

  test("is no obstacle to a thousand others", async () => {
    const { store, lookups } = await countingStore();
    const { service } = await openTestService({ store });
    const keys: string[] = [];
    for (let i = 0; i < 1_001; i++)
      keys.push((await service.createKey({ mode: "test", name })).key);
    const use = async (key: string | undefined) => service.authenticate(`Bearer ${key}`);
    const [first, second, ...others] = keys;
    for (const key of [first, second]) await use(key);
    for (const key of others.slice(0, 998)) await use(key);
    await use(first); // a thousand are known, and the second was used least lately
    await use(others.at(-1));
    const before = lookups();
    for (const key of [first, ...others]) await use(key);
    expect(lookups()).toBe(before);
    await use(second);
    expect(lookups()).toBe(before + 1);
  });
});

describe("the use of a key is noted", () => {
  test("once a minute at the most, of those that were used", async () => {
    const { service, useIn, lastUses, notes } = await openNoting();
    const other = await service.createKey({ mode: "live", name });
    await useIn(0);
    expect(await lastUses()).toEqual([startSeconds, null]);
    for (let seconds = 1; seconds < 60; seconds++) await useIn(1_000);
    expect(await lastUses()).toEqual([startSeconds, null]);
    await useIn(1_000);
    expect(await lastUses()).toEqual([startSeconds + 60, null]);
    await useIn(1_000, other);
    expect(await lastUses()).toEqual([startSeconds + 60, startSeconds + 61]);
    expect(notes).toEqual([1, 1, 1]);
  });

  test("where it came within the minute, too, once that is over", async () => {
    const { service, useIn, lastUses, time } = await openNoting();
    await useIn(0);
    await useIn(30_000);
    time.nowMs += 30_000;
    await service.recordKeyUses();
    await service.recordKeyUses();
    expect(await lastUses()).toEqual([startSeconds + 30]);
  });

  test("only where the key was accepted", async () => {
    const { service, useIn, lastUses, issued } = await openNoting();
    await service.rollKey(issued, 1_000);
    await expect(useIn(1_000)).rejects.toMatchObject(refusal);
    await service.recordKeyUses();
    expect(await lastUses()).toEqual([null, null]);
  });
});

test("a key that nobody knows is looked up each time, so that it works as soon as it is made", async () => {
  const { service } = await openTestService();
  await expect(service.authenticate(`Bearer ${unknown}`)).rejects.toMatchObject(refusal);
  await service.adoptKey(unknown, { mode: "test", name });
  expect(await service.authenticate(`Bearer ${unknown}`)).toBeDefined();
});

/** A store that counts how often a key is looked up. */
async function countingStore() {
  const store = await openNewStore();
  let count = 0;
  const counting: Store = {
    ...store,
    findKey: async (hash) => {
      count += 1;
      return await store.findKey(hash);
    },
  };
  return { store: counting, lookups: () => count };
}

/** A service of which is counted how many keys it notes each time. */
async function openNoting() {
  const store = await openNewStore();
  const notes: number[] = [];
  const recordKeyUses: Store["recordKeyUses"] = async (uses) => {
    notes.push(uses.length);
    await store.recordKeyUses(uses);
  };
  const opened = await openTestService({ store: { ...store, recordKeyUses } });
  const { service, time } = opened;
  const issued = await service.createKey({ mode: "test", name });
  return {
    ...opened,
    issued,
    notes,
    /** Uses a key so much later, and notes what is to be noted. */
    useIn: async (ms: number, { key } = issued) => {
      time.nowMs += ms;
      await service.authenticate(`Bearer ${key}`);
      await service.recordKeyUses();
    },
    lastUses: async () => (await service.listKeys()).map(({ last_used_at }) => last_used_at),
  };
}
