import { recordSessionUses } from "../accounts/sessions.ts";
import { recordKeyUses } from "../accounts/authenticate.ts";
import { buildAccount } from "../accounts/manage-accounts.ts";
import type { Log } from "../../runtime/log.ts";
import { createIndexJob } from "./index-job.ts";
import { createInterval, startJob } from "./scheduler.ts";
import { createSimulatorNetwork } from "../networks/simulator.ts";
import type { StoredAccount } from "../accounts/accounts-store.ts";
import type { Store } from "../service.ts";
import { openAccess } from "../sandbox/open-access.ts";
import { type Faults, addNetworkFaults } from "../sandbox/faults.ts";
import { createLateDeliveries, createWebhookFaults } from "../sandbox/held-deliveries.ts";
import { createWorkRunner, watchStore } from "../sandbox/run-due-work.ts";
import type { SandboxClock } from "../sandbox/sandbox-clock.ts";
import { createSeededRandom } from "../sandbox/seeded-random.ts";
import { createWebhookSender } from "../webhooks/send-webhooks.ts";
import type { Driver } from "../database/driver.ts";
import { eraseDatabase, findNextDue, postponeDelivery } from "./sandbox-database.ts";
import { createIds, systemRandom } from "../database/ids.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createServiceOver, defaultProcessingTimeMs } from "./open-service.ts";

type Parts = {
  driver: Driver;
  store: Store;
  clock: SandboxClock;
  faults: Faults;
  metrics: Metrics;
  seed?: string | undefined;
  /** The first account; without a seed only its id is the same at each start. */
  account: StoredAccount;
  linkToken: string;
  publicUrl: () => string;
  version?: string;
  log?: Log;
  /** Aborted when the sandbox ends. */
  ending: AbortSignal;
};

const processingTimeMs = defaultProcessingTimeMs;
const purgeEveryMs = 60_000;
const recordEveryMs = 5_000;

/** Erases the database, and begins the service of a sandbox over it, with all that it does by itself. */
export async function beginSandbox(parts: Parts) {
  const { driver, clock, faults, metrics, seed, publicUrl, version = "unknown", log } = parts;
  const interrupting = new AbortController();
  const interruption = AbortSignal.any([parts.ending, interrupting.signal]);
  const random = seed === undefined ? undefined : createSeededRandom(seed);
  const late = createLateDeliveries(
    createIds(clock.now, random ?? systemRandom),
    async (...postponed) => postponeDelivery(driver, ...postponed),
  );
  const { ids } = late;
  const built = buildAccount({ ids, clock: clock.now });
  const { id: accountId } = parts.account.account;
  await eraseDatabase(driver, { ...built, account: { ...built.account, id: accountId } });

  const settled = { settled: 0, expired: 0 };
  let isRunning = false;
  const onWrite = () => (isRunning ? runner.wake() : undefined);
  const webhookFaults = createWebhookFaults(faults, clock.now, async (scope, delivery, untilMs) => {
    await postponeDelivery(driver, scope, delivery, untilMs);
    onWrite();
  });
  const sender = createWebhookSender({ allowPrivate: true, version });
  const own = createServiceOver(
    webhookFaults.watchStore(late.watchStore(watchStore(parts.store, settled, onWrite))),
    processingTimeMs,
    {
      clock: clock.now,
      ids,
      jitter: random?.jitter,
      // No request waits for work that comes due only once the clock is moved.
      ...(clock.mode === "manual" && { timeouts: { refundMs: 0 } }),
      network: addNetworkFaults(createSimulatorNetwork({ processingTimeMs }), faults, {
        processingTimeMs,
      }),
      publicUrl,
      webhooks: { allowsPrivate: true },
      sender,
      searchLagMs: 0,
      observeChallenge: metrics.challenge,
      ending: interruption,
    },
  );
  const service = await openAccess(own, accountId, parts.linkToken);
  const runner = createWorkRunner({
    service,
    clock,
    sender: webhookFaults.watchSender(sender),
    findNextDue: async (nowMs) => findNextDue(driver, nowMs),
    settled,
    late,
    observe: metrics.webhooks.ended,
    interruption,
    log,
  });
  isRunning = true;
  const jobs = [
    { due: createInterval(purgeEveryMs), run: runner.purge },
    { due: createInterval(recordEveryMs), run: service.purgeWrittenRequests },
    { due: createInterval(recordEveryMs), run: async () => recordKeyUses(service) },
    { due: createInterval(recordEveryMs), run: async () => recordSessionUses(service) },
    { due: createInterval(recordEveryMs), run: service.countTotals },
    createIndexJob(service.indexPayments),
  ];
  const stops = jobs.map((job) => startJob(job, log));
  return {
    service,
    runner,
    /** Aborted when the sandbox starts over or ends. */
    interruption,
    /** Lets requests that wait for something be answered, and a move of the clock end. */
    interrupt: (): void => interrupting.abort(),
    end: async (): Promise<void> => {
      isRunning = false;
      await Promise.all([runner.end(), ...stops.map(async (stop) => stop())]);
      await service.flushRequests();
    },
  };
}
