import { expect, onTestFinished, test } from "vitest";
import { maxDeliveryMs, webhookSchedule } from "../../../src/service/webhooks/delivery-state.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import { openDriver } from "../../../src/service/database/database.ts";
import { openStore } from "../../../src/service/server/open-service.ts";
import { newAccount } from "../../testkit/database/records.ts";
import { newDatabase } from "../../testkit/database/open-database.ts";
import {
  command,
  openStoreWith,
  openTestService,
  openWithOperators,
} from "../../testkit/service/open-test-service.ts";

test("the events of every account are purged once no webhook of them can be retried", async () => {
  const { service, store, time, scopes, pay } = await openTwoAccounts();
  const eventIds = await Promise.all(
    scopes.map(async (scope) => {
      const { id } = await pay(scope);
      await service.refundPayment(scope, id);
      return id.replace("pay_", "evt_");
    }),
  );
  const areStored = async () => {
    const found = scopes.map(async (scope, at) => store.findEvent(scope, eventIds[at] ?? ""));
    return (await Promise.all(found)).map((event) => event !== undefined);
  };
  time.nowMs += maxDeliveryMs(webhookSchedule);
  await service.countTotals(); // an event is not purged before it is counted
  await service.purgeEvents();
  expect(await areStored()).toEqual([true, true]); // a webhook may still be retried
  await expect(service.getEvent(scopes[0]!, eventIds[0]!)).rejects.toThrow("no event");
  time.nowMs += 120_000;
  await service.purgeEvents();
  expect(await areStored()).toEqual([false, false]);
});

test("audit entries are stored for a year in every account, and ended sessions are purged", async () => {
  const { service, store, time, signIn, listActions, first, second } = await openWithOperators();
  await signIn();
  await service.createKey({ mode: "test", name: "shop", account: second }, command);
  const dayMs = 24 * 60 * 60_000;
  time.nowMs += 365 * dayMs;
  await service.renameAccount(first, "Roses", command);
  await service.purgeAuditLog();
  const stored = ["account.renamed", "operator.signed_in", "operator.invited"];
  expect(await listActions()).toEqual(stored);
  expect(await store.purgeSessions(time.nowMs, 10)).toBe(0);
  time.nowMs += dayMs;
  await service.purgeAuditLog();
  expect(await listActions()).toEqual(["account.renamed"]);
  expect(await listActions(second)).toEqual([]);
});

test("purging repeats until a batch is not full, or it is aborted", async () => {
  const counts = [500, 500, 499];
  const store = await openStoreWith(() => ({ purgeSessions: async () => counts.shift() ?? 0 }));
  const { service } = await openTestService({ store });
  await service.purgeAuditLog(AbortSignal.abort());
  expect(counts).toHaveLength(3);
  await service.purgeAuditLog();
  expect(counts).toEqual([]);
});

async function openTwoAccounts() {
  const accounts = [newAccount(), newAccount()] as const;
  const store = await openStore(await openDriver(await newDatabase()), accounts[0]);
  onTestFinished(async () => store.close());
  await store.insertAccount(accounts[1]);
  const scopes = accounts.map(({ account }): Scope => ({ accountId: account.id, livemode: false }));
  return { ...(await openTestService({ store })), store, scopes };
}
