import { DatabaseSync } from "node:sqlite";
import { onTestFinished, expect, test, vi } from "vitest";
import { ids, parseCreatedMs } from "../../../src/service/database/ids.ts";
import { Unavailable } from "../../../src/runtime/failures.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { StoredRequest } from "../../../src/service/requests/requests-store.ts";
import {
  type RequestLogSettings,
  createRequestLog,
  defaultRequestLog,
} from "../../../src/service/requests/log-requests.ts";
import type { Store } from "../../../src/service/service.ts";
import { createServiceOver } from "../../../src/service/server/open-service.ts";
import { bindAll, openBoundService } from "../../testkit/service/bind-use-cases.ts";
import { openEmptyStore } from "../../testkit/database/open-database.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

function buildRequest(scope: Scope): StoredRequest {
  return {
    scope,
    id: ids.request(),
    method: "POST",
    path: "/v1/payments",
    status: 201,
    durationMs: 1,
    keyId: "key_1",
    keyName: "shop",
    errorCode: null,
    errorParam: null,
    paymentId: null,
    idempotencyKey: null,
    isReplayed: false,
  };
}

async function open(settings: Partial<RequestLogSettings> = {}, around?: (store: Store) => Store) {
  const { store: real, giveBack } = await openEmptyStore();
  onTestFinished(giveBack);
  const store = around ? around(real) : real;
  const requestLog = { ...defaultRequestLog, ...settings };
  const log = createRequestLog({ store, requestLog });
  const [account] = await real.listAccounts();
  const scope = { accountId: account?.id ?? "", livemode: false };
  const service = bindAll(createServiceOver(real, 0, { requestLog }));
  return {
    ...log,
    service,
    store: real,
    scope,
    logOne: (fields: { accountId?: string } = {}) => {
      const request = buildRequest({ ...scope, ...fields });
      log.logRequest(request);
      return request.id;
    },
    idsOf: async () =>
      (await service.listRequests(scope, { limit: 100 })).items.map(({ id }) => id).toReversed(),
  };
}

test("requests are written soon, by themselves", async () => {
  const { logOne, idsOf } = await open();
  const logged = [logOne(), logOne()];
  await expect.poll(idsOf).toEqual(logged);
});

/** A log whose time stands still, over a store that answers as `logRequests` does. */
async function openStanding(logRequests: Store["logRequests"]) {
  const written = vi.fn<Store["logRequests"]>(logRequests);
  const log = await open({}, (store) => ({ ...store, logRequests: written }));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return {
    flushRequests: log.flushRequests,
    logMany: (count: number) => Array.from({ length: count }, () => log.logOne()),
    areRetries: () => written.mock.calls.map(([, mayBeWritten]) => mayBeWritten),
    writtenAfter: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return written.mock.calls.map(([requests]) => requests.map(({ id }) => id));
    },
  };
}

test("512 requests that wait are written at once, fewer after 400 ms", async () => {
  const { logMany, writtenAfter } = await openStanding(async () => {});
  const first = logMany(511);
  expect(await writtenAfter(399)).toEqual([]);
  first.push(...logMany(1));
  expect(await writtenAfter(0)).toEqual([first]);
  const last = logMany(2);
  expect(await writtenAfter(399)).toEqual([first]);
  expect(await writtenAfter(1)).toEqual([first, last]);
});

test("requests that come during a write are written when it ends, at once where there are 512", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { logMany, writtenAfter } = await openStanding(async () => promise);
  const first = logMany(512);
  await writtenAfter(0);
  const meanwhile = logMany(512);
  expect(await writtenAfter(10_000)).toEqual([first]);
  resolve();
  await writtenAfter(0);
  expect(await writtenAfter(0)).toEqual([first, meanwhile]);
});

test("a store that refuses is asked again after a second, however many wait, and told that they may be written", async () => {
  const { logMany, writtenAfter, areRetries } = await openStanding(async () => {
    throw new Unavailable("away");
  });
  const logged = logMany(512);
  await writtenAfter(0);
  logged.push(...logMany(200));
  expect(await writtenAfter(999)).toHaveLength(1);
  expect(await writtenAfter(1)).toEqual([logged.slice(0, 512), logged.slice(0, 512)]);
  expect(areRetries()).toEqual([false, true]);
});

test("a service that ends knows how many requests are lost", async () => {
  const { logMany, writtenAfter, flushRequests } = await openStanding(
    async () => new Promise(() => {}),
  );
  logMany(512);
  await writtenAfter(0);
  logMany(3);
  const lost = flushRequests();
  await writtenAfter(2_000);
  expect(await lost).toBe(515);
});

test("their number is reported where another process holds the database when the service ends", async () => {
  const lost = vi.fn<(count: number) => void>();
  const requestLog = { ...defaultRequestLog, observe: { lost } };
  const file = temporaryFile();
  const { service, close } = await openBoundService({ database: `sqlite:${file}` }, { requestLog });
  const other = new DatabaseSync(file);
  onTestFinished(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  service.logRequest(buildRequest({ accountId: "acct_1", livemode: false }));
  const closing = close();
  await expect.poll(() => lost.mock.calls, { timeout: 30_000 }).toEqual([[1]]);
  other.exec("ROLLBACK");
  await closing;
});

test("while the store takes none they wait, said once, and the oldest are dropped beyond the maximum", async () => {
  let isAway = true;
  const [failed, recovered, dropped] = [
    vi.fn<() => void>(),
    vi.fn<() => void>(),
    vi.fn<(count: number) => void>(),
  ];
  const { logOne, idsOf, flushRequests } = await open(
    { maxBuffered: 20, observe: { failed, recovered, dropped } },
    (store) => ({
      ...store,
      logRequests: async (...all) => {
        if (isAway) throw new Unavailable("away");
        return await store.logRequests(...all);
      },
    }),
  );
  const logged = Array.from({ length: 30 }, () => logOne());
  await flushRequests();
  await flushRequests();
  expect(failed).toHaveBeenCalledTimes(1);
  const lost = dropped.mock.calls.reduce((sum, [count]) => sum + count, 0);
  expect(lost).toBeGreaterThanOrEqual(10);
  isAway = false;
  await flushRequests();
  expect(await idsOf()).toEqual(logged.slice(lost));
  expect(recovered).toHaveBeenCalledTimes(1);
});

test("while the store does not answer, requests beyond the maximum are dropped, the oldest first", async () => {
  const dropped: number[] = [];
  const { logRequest } = createRequestLog({
    store: { logRequests: async () => new Promise(() => {}) } as Partial<Store> as Store,
    requestLog: {
      ...defaultRequestLog,
      maxBuffered: 10,
      observe: { dropped: (count) => dropped.push(count) },
    },
  });
  const request = buildRequest({ accountId: "acct_1", livemode: false });
  for (let logged = 0; logged < 24; logged++) logRequest(request);
  // Each time one more than the excess goes.
  expect(dropped).toEqual([2, 2, 2, 2, 2, 2, 2]);
});

test("requests that the store can never take are dropped, and do not hold up later ones", async () => {
  let isBroken = true;
  const dropped = vi.fn<(count: number) => void>();
  const { logOne, idsOf, flushRequests } = await open({ observe: { dropped } }, (store) => ({
    ...store,
    logRequests: async (...all) => {
      if (isBroken) throw new Error("broken");
      return await store.logRequests(...all);
    },
  }));
  logOne();
  await flushRequests();
  expect(dropped).toHaveBeenCalledWith(1);
  isBroken = false;
  const logged = logOne();
  await flushRequests();
  expect(await idsOf()).toEqual([logged]);
});

test("the purge leaves the newest up to the maximum of each account and mode", async () => {
  const { logOne, idsOf, flushRequests, service } = await open({ maxStored: 3 });
  const logged = Array.from({ length: 8 }, () => logOne());
  await flushRequests();
  expect(await service.purgeRequests()).toBe(5);
  expect(await idsOf()).toEqual(logged.slice(5));
  expect(await service.purgeRequests()).toBe(0);
});

test("a request past its retention is listed no longer, and purged", async () => {
  const { logOne, idsOf, flushRequests, store, scope } = await open();
  const loggedMs = parseCreatedMs(logOne());
  await flushRequests();
  const laterMs = loggedMs + defaultRequestLog.retentionMs + 2_000;
  const later = bindAll(createServiceOver(store, 0, { clock: () => laterMs }));
  expect((await later.listRequests(scope, {})).items).toEqual([]);
  expect(await idsOf()).toHaveLength(1);
  expect(await later.purgeRequests()).toBe(1);
  expect(await idsOf()).toEqual([]);
});
