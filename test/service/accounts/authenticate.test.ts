import { permissions } from "../../../src/contract/field-values.ts";
import { describe, expect, test } from "vitest";
import { newestVersion } from "../../../src/contract/route.ts";
import { firstSecret } from "../../testkit/database/records.ts";
import {
  openStoreWith,
  openTestService,
  startMs,
  startSeconds,
} from "../../testkit/service/open-test-service.ts";

const name = "shop";
const refusal = { name: "ServiceError", code: "invalid_api_key", param: null };
const unknown = `svc_test_sk_${"x".repeat(43)}`;

/** A service with a key. It counts look-ups, and for each write the keys whose use is recorded. */
async function openWithKey() {
  const count = { lookups: 0, written: [] as number[] };
  const store = await openStoreWith((real) => ({
    findKey: async (hash) => {
      count.lookups++;
      return await real.findKey(hash);
    },
    recordKeyUses: async (uses) => {
      count.written.push(uses.length);
      await real.recordKeyUses(uses);
    },
  }));
  const opened = await openTestService({ store });
  const { service, time } = opened;
  const issued = await service.createKey({ mode: "test", name });
  return {
    ...opened,
    issued,
    count,
    use: async (key = issued.key, of = service) => of.authenticate(`Bearer ${key}`),
    /** Uses a key after a delay, and records its use. */
    useAfter: async (ms: number, { key } = issued) => {
      time.nowMs += ms;
      await service.authenticate(`Bearer ${key}`);
      await service.recordKeyUses();
    },
    lastUses: async () => (await service.listKeys()).map(({ last_used_at }) => last_used_at),
  };
}

describe("authenticating", () => {
  test.each(["test", "live"] as const)("a %s key gives the account's mode", async (mode) => {
    const { service, store, use } = await openWithKey();
    const { id, account: accountId, key } = await service.createKey({ mode, name });
    expect(await use(key)).toEqual({
      scope: { accountId, livemode: mode === "live" },
      permissions,
      maxRefund: null,
      keyId: id,
      actor: { type: "api_key", id, name },
      defaultVersion: newestVersion,
      fingerprintSecret: await firstSecret(store),
    });
  });

  test.each(["Bearer KEY", "bearer KEY", "BEARER KEY", "Bearer   KEY", "Bearer KEY  "])(
    "accepts %j",
    async (header) => {
      const { service, issued } = await openWithKey();
      const principal = await service.authenticate(header.replace("KEY", issued.key));
      expect(principal.keyId).toBe(issued.id);
    },
  );

  test("refuses every other header with the same message", async () => {
    const { service, issued } = await openWithKey();
    const authenticate = async (header?: string) => service.authenticate(header);
    const missing = await authenticate().catch((error: Error) => error);
    expect(missing).toMatchObject(refusal);
    const { message } = missing as Error;
    const headers = [
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
      `Bearer ${issued.key.replace("test", "live")}`,
    ];
    for (const header of headers) {
      const authenticating = authenticate(header.replaceAll("KEY", issued.key));
      await expect(authenticating).rejects.toMatchObject({ ...refusal, message });
    }
  });

  test("an unknown key is not cached, so that it works as soon as it is created", async () => {
    const { service, use } = await openWithKey();
    await expect(use(unknown)).rejects.toMatchObject(refusal);
    await service.adoptKey(unknown, { mode: "test", name });
    expect(await use(unknown)).toBeDefined();
  });
});

describe("a cached key", () => {
  test("is refused on every replica within a second of its revocation", async () => {
    const { service, store, time, use, issued } = await openWithKey();
    const replica = await openTestService({ store });
    await use();
    await use(issued.key, replica.service);
    await service.revokeKey(issued);
    for (const each of [time, replica.time]) each.nowMs = startMs + 999;
    await expect(use()).rejects.toMatchObject(refusal);
    await expect(use(issued.key, replica.service)).rejects.toMatchObject(refusal);
  });

  test("is not looked up a second time within half a second", async () => {
    const { use, time, count } = await openWithKey();
    const lookupsAt = async (ms: number) => {
      time.nowMs = startMs + ms;
      await use();
      return count.lookups;
    };
    expect(await lookupsAt(0)).toBe(1);
    expect(await lookupsAt(499)).toBe(1);
    expect(await lookupsAt(500)).toBe(2);
  });

  test("is looked up a second time when the clock was set back", async () => {
    const { service, time, use, issued } = await openWithKey();
    await use();
    await service.revokeKey(issued);
    for (const ms of [-3_600_000, 600, 100]) {
      time.nowMs = startMs + ms;
      await expect(use()).rejects.toMatchObject(refusal);
    }
  });

  test("is refused from the moment at which it expires", async () => {
    const { service, time, use, issued } = await openWithKey();
    await service.rollKey(issued, 10_000);
    time.nowMs = startMs + 9_999;
    expect(await use()).toMatchObject({ keyId: issued.id });
    time.nowMs = startMs + 10_000;
    await expect(use()).rejects.toMatchObject(refusal);
  });

  test("is looked up once for all requests that send it at the same time", async () => {
    const { use, issued, count } = await openWithKey();
    const all = await Promise.all(Array.from({ length: 100 }, async () => use()));
    expect(new Set(all.map(({ keyId }) => keyId))).toEqual(new Set([issued.id]));
    expect(count.lookups).toBe(1);
  });

  test("is evicted when a thousand others were used more recently", async () => {
    const { service, use, count } = await openWithKey();
    const createKey = async () => (await service.createKey({ mode: "test", name })).key;
    const keys = await Promise.all(Array.from({ length: 1_001 }, createKey));
    const [first, second, ...others] = keys;
    for (const key of [first, second, ...others.slice(0, 998)]) await use(key);
    await use(first); // a thousand are cached, and the second was used least recently
    await use(others.at(-1));
    const before = count.lookups;
    for (const key of [first, ...others]) await use(key);
    expect(count.lookups).toBe(before);
    await use(second);
    expect(count.lookups).toBe(before + 1);
  });
});

describe("the use of a key is recorded", () => {
  test("once a minute at most", async () => {
    const { service, useAfter, lastUses, count } = await openWithKey();
    const other = await service.createKey({ mode: "live", name });
    await useAfter(0);
    expect(await lastUses()).toEqual([startSeconds, null]);
    for (let seconds = 1; seconds < 60; seconds++) await useAfter(1_000);
    expect(await lastUses()).toEqual([startSeconds, null]);
    await useAfter(1_000);
    expect(await lastUses()).toEqual([startSeconds + 60, null]);
    await useAfter(1_000, other);
    expect(await lastUses()).toEqual([startSeconds + 60, startSeconds + 61]);
    expect(count.written).toEqual([1, 1, 1]);
  });

  test("after the minute, if the key was used within it", async () => {
    const { service, useAfter, lastUses, time } = await openWithKey();
    await useAfter(0);
    await useAfter(30_000);
    time.nowMs += 30_000;
    await service.recordKeyUses();
    await service.recordKeyUses();
    expect(await lastUses()).toEqual([startSeconds + 30]);
  });

  test("only if the key was accepted", async () => {
    const { service, useAfter, lastUses, issued } = await openWithKey();
    await service.rollKey(issued, 1_000);
    await expect(useAfter(1_000)).rejects.toMatchObject(refusal);
    await service.recordKeyUses();
    expect(await lastUses()).toEqual([null, null]);
  });
});
