import { randomBytes } from "node:crypto";
import { ServiceError } from "../../contract/error.ts";
import {
  type ClockMode,
  type SigningTime,
  sandboxKeys,
  seededStart,
} from "../../contract/field-values.ts";
import { sandboxClockHeader, sandboxSignAtHeader } from "../../contract/route.ts";
import type { SandboxRequest } from "../../contract/sandbox.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { Log } from "../../runtime/log.ts";
import { secretLength } from "../accounts/accounts-service.ts";
import type { StoredAccount } from "../accounts/accounts-store.ts";
import { recordKeyUses } from "../accounts/authenticate.ts";
import { buildAccount } from "../accounts/manage-accounts.ts";
import { recordSessionUses } from "../accounts/sessions.ts";
import type { Driver } from "../database/driver.ts";
import { createIds, systemRandom } from "../database/ids.ts";
import { createSimulatorNetwork } from "../networks/simulator.ts";
import {
  type SandboxControl,
  createSandboxAccount,
  isControlPath,
  openAccess,
  refuseForeignHosts,
  registerControl,
} from "../sandbox/control-routes.ts";
import {
  type Faults,
  addNetworkFaults,
  createFaults,
  createJournal,
  createRequestFaults,
} from "../sandbox/faults.ts";
import { createLateDeliveries, createWebhookFaults } from "../sandbox/held-deliveries.ts";
import { createRequestGate } from "../sandbox/request-gate.ts";
import { createEndingError, createWorkRunner, watchStore } from "../sandbox/run-due-work.ts";
import {
  type SandboxClock,
  computeMoveTarget,
  createSandboxClock,
  createSeededRandom,
} from "../sandbox/sandbox-clock.ts";
import { createWriteWatch, waitForEvent } from "../sandbox/wait-for-event.ts";
import type { Service, Store } from "../service.ts";
import { createWebhookSender } from "../webhooks/webhook-sender.ts";
import type { WebhookSender } from "../webhooks/webhooks-service.ts";
import { createIndexJob, createIndexSchedule } from "./index-job.ts";
import { type Metrics, createMetrics } from "./metrics.ts";
import { type FrontLimits, createPublicUrl, openFront } from "./open-front.ts";
import { createServiceOver, defaultProcessingTimeMs, openStore } from "./open-service.ts";
import {
  eraseDatabase,
  findNextDue,
  leaveDatabase,
  openSandboxDatabase,
  postponeDelivery,
  sandboxKeyName,
} from "./sandbox-database.ts";
import { createInterval, startJob } from "./scheduler.ts";
import { watchWrites } from "./watch-writes.ts";

export type SandboxSettings = {
  host: string;
  /** 0: any free one. */
  port: number;
  database: string;
  /** `manual`: the time stands still until it is moved on. */
  clock?: ClockMode | undefined;
  /** Ids, secrets and jitter repeat with it. */
  seed?: string | undefined;
  /** Where pages, their payments and the dashboard's link lead, if not to the address that it listens on. */
  publicUrl?: string | undefined;
  /** Lets the process end while the sandbox runs, where nothing else keeps it. */
  unref?: boolean | undefined;
  /** The time at which webhooks are signed; by default the sandbox's own. */
  signAt?: SigningTime | undefined;
  /** Of the program. */
  version?: string;
  log?: Log;
  /** Called with each entry of the journal, of every account, once its request is over. */
  onRequest?: ((request: SandboxRequest) => void) | undefined;
  /** Runs at the start and after each reset, before it is answered. */
  prepare?: ((url: string) => Promise<void>) | undefined;
};

/** A payments service for tests, listening on a port: see docs/testing.md. */
export async function serveSandbox(settings: SandboxSettings, limits: FrontLimits = {}) {
  const { clock: mode = "real", seed, signAt = "sandbox", version = "unknown" } = settings;
  const metrics = createMetrics({ version });
  const publicUrl = createPublicUrl(settings.publicUrl);
  const ending = new AbortController();
  const clock = createSandboxClock(mode, seed === undefined ? undefined : seededStart * 1000);
  const faults = createFaults();
  const journal = createJournal();
  const gate = createRequestGate();
  const writes = createWriteWatch();
  const driver = await openSandboxDatabase(settings.database);
  const random = seed === undefined ? systemRandom : createSeededRandom(seed);
  const ids = createIds(clock.now, random);
  const firstAccount = buildAccount({ ids, clock: clock.now });
  const linkSeed = `${seed ?? randomBytes(32).toString("hex")}/link`;
  const linkToken = createIds(clock.now, createSeededRandom(linkSeed)).secret(secretLength);

  const index = createIndexSchedule();
  const begin = async () =>
    beginSandbox({
      ...settings,
      clock,
      faults,
      driver,
      store: observed,
      metrics,
      index,
      publicUrl: publicUrl.get,
      ending: ending.signal,
      account: firstAccount,
      linkToken,
      onWrite: writes.notify,
    });

  let resetting: Promise<unknown> = Promise.resolve();
  let beginning: Promise<void> = Promise.resolve();
  async function beginAnew(): Promise<void> {
    current.interrupt();
    const open = await gate.close();
    try {
      await current.end();
      clock.restart();
      faults.clearAll();
      journal.clearAll();
      current = await begin().catch((error: unknown) => {
        throw new Unavailable(
          "The sandbox could not start over, and does nothing by itself until it is reset once more.",
          { cause: error, isPublic: true },
        );
      });
    } finally {
      open();
    }
  }
  async function startOver(): Promise<void> {
    if (ending.signal.aborted) throw createEndingError();
    await (beginning = beginAnew());
    await settings.prepare?.(front.url).catch((error: unknown) => {
      const reason = Error.isError(error) ? error.message : String(error);
      throw new ServiceError(
        "internal_error",
        `The sandbox was reset, but not prepared: ${reason}`,
      );
    });
  }
  const readClock = () => ({ now: Math.floor(clock.now() / 1000), mode });
  const control: SandboxControl = {
    reset: async () => {
      resetting = resetting.then(startOver, startOver);
      await resetting;
      return readClock();
    },
    createAccount: async (account) =>
      gate.pass(async () => createSandboxAccount(current.service, account, sandboxKeyName)),
    getClock: readClock,
    moveClock: async (move) => {
      await gate.waitUntilOpen(); // a reset does not wait for a move, but ends it
      const did = await current.runner.moveTo((nowMs) => computeMoveTarget(move, nowMs));
      return { ...readClock(), did };
    },
    waitForEvent: async (wait) => {
      await gate.waitUntilOpen();
      return await waitForEvent({ ...current, writes, mode }, wait);
    },
    setFault: faults.set,
    listFaults: faults.list,
    clearFaults: faults.clear,
    listRequests: journal.list,
  };

  let current: Awaited<ReturnType<typeof beginSandbox>>;
  let observed: Awaited<ReturnType<typeof openStore>>;
  const close = async () => driver.close();
  try {
    const store = await openStore(driver, firstAccount);
    const observer = { onStatus: metrics.store.countStatus, onCreated: index.onCreated };
    observed = watchWrites(metrics.store.measureStore(store, driver), observer);
    current = await begin();
  } catch (error) {
    await close();
    throw error;
  }
  const service = delegate(() => current.service);
  const requestFaults = createRequestFaults({
    faults,
    journal,
    now: clock.now,
    getInterruption: () => current.interruption,
    onOver: settings.onRequest,
  });
  const front = await openFront(service, {
    settings: { ...settings, dashboard: { sandboxAccount: firstAccount.account.id } },
    limits: { ...limits, overload: { ...limits.overload, isPatient: true } },
    metrics,
    publicUrl,
    ending,
    end: async () => {
      await beginning.catch(() => {});
      await current
        .end()
        .then(async () => leaveDatabase(driver))
        .catch(tolerateLostDatabase)
        .finally(close);
    },
    app: {
      observeUnhooked: requestFaults.record,
      extend: (app) => {
        refuseForeignHosts(app, settings);
        app.addHook("onSend", async (_request, reply, payload) => {
          const date = new Date(clock.now()).toUTCString();
          reply.headers({ date, [sandboxClockHeader]: mode });
          if (signAt !== "sandbox") reply.header(sandboxSignAtHeader, signAt);
          return payload;
        });
        gate.watch(app, isControlPath);
        requestFaults.watch(app);
        registerControl(app, service, control);
      },
    },
  }).catch(async (error: unknown) => {
    await current.end();
    await close();
    throw error;
  });
  try {
    await settings.prepare?.(front.url);
  } catch (error) {
    await front.closeAtOnce();
    throw error;
  }
  return {
    ...front,
    keys: sandboxKeys,
    account: firstAccount.account.id,
    dashboardUrl: `${publicUrl.get()}/dashboard/invitations/${linkToken}`,
    control,
  };
}

/** The service of the moment, under an app that stays: a reset replaces it. */
function delegate(current: () => Service): Service {
  const get = (_: object, name: string | symbol): unknown => Reflect.get(current(), name);
  return new Proxy({}, { get }) as Service;
}

/** A sandbox ends also where its database is gone, such as a folder of tests that was deleted before. */
function tolerateLostDatabase(error: unknown): void {
  if (!(error instanceof Unavailable)) throw error;
}

type Parts = {
  driver: Driver;
  store: Store;
  clock: SandboxClock;
  faults: Faults;
  metrics: Metrics;
  index: ReturnType<typeof createIndexSchedule>;
  seed?: string | undefined;
  /** The first account; without a seed only its id is the same at each start. */
  account: StoredAccount;
  linkToken: string;
  publicUrl: () => string;
  signAt?: SigningTime | undefined;
  version?: string;
  log?: Log;
  /** Aborted when the sandbox ends. */
  ending: AbortSignal;
  /** Called after each write, and when the sandbox starts over or ends. */
  onWrite: () => void;
};

const processingTimeMs = defaultProcessingTimeMs;
const purgeEveryMs = 60_000;
const recordEveryMs = 5_000;

/** Erases the database, and begins the service of a sandbox over it, with all that it does by itself. */
async function beginSandbox(parts: Parts) {
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
  const onWrite = () => {
    if (isRunning) runner.wake();
    parts.onWrite();
  };
  interruption.addEventListener("abort", parts.onWrite);
  const webhookFaults = createWebhookFaults(faults, clock.now, async (scope, delivery, untilMs) => {
    await postponeDelivery(driver, scope, delivery, untilMs);
    onWrite();
  });
  const real = createWebhookSender({ allowPrivate: true, version });
  const sender: WebhookSender = {
    ...real,
    send: async (webhook) =>
      real.send(parts.signAt === "wall" ? { ...webhook, nowMs: Date.now() } : webhook),
  };
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
    observe: metrics.webhooks.attempted,
    interruption,
    log,
  });
  isRunning = true;
  const indexing = createIndexJob(service.indexPayments);
  parts.index.onMany(indexing.endPause);
  const jobs = [
    { due: createInterval(purgeEveryMs), run: runner.purge },
    { due: createInterval(recordEveryMs), run: service.purgeWrittenRequests },
    { due: createInterval(recordEveryMs), run: async () => recordKeyUses(service) },
    { due: createInterval(recordEveryMs), run: async () => recordSessionUses(service) },
    { due: createInterval(recordEveryMs), run: service.countTotals },
    indexing,
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
