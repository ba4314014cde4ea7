import { ids } from "./ids.ts";
import { createSimulatorNetwork, createTestNetwork } from "../networks/simulator.ts";
import { webhookSchedule } from "../domain/delivery-schedule.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { beginnersHint, describeDatabase, openDriver, openExisting } from "../store/database.ts";
import { readSchema, type Reader } from "../store/migrate.ts";
import type { GuardedNetwork } from "../ports/card-network.ts";
import type { Store, WebhookSettings } from "../ports/ports.ts";
import { buildAccount } from "../accounts/manage-accounts.ts";
import { createService, type Service } from "../use-cases/service.ts";
import type { ServiceSettings } from "./serve-settings.ts";
import type { Driver, DriverObserver } from "../store/driver.ts";
import { openStore } from "../store/store.ts";
import { watchDueTimes, type DueTimes } from "../jobs/watch-due-times.ts";

// Where the rooms below HTTP are wired together: settings → store → service.

export type OpenService = { service: Service; close: () => Promise<void> };

export const defaultProcessingTimeMs = 1_000;
const defaultEventRetentionMs = 30 * 24 * 60 * 60 * 1000;
const defaultHppExpiryMs = 24 * 60 * 60 * 1000;

type Options = {
  /** Whether an older schema is brought up to date, which a running service does; true by default. */
  migrates?: boolean;
  /** Whether a database that is not there, or empty, is begun; true by default. */
  begins?: boolean;
  /** How customers reach the payment pages; where it is left out none can be made. */
  publicUrl?: () => string;
  hppExpiryMs?: number | undefined;
  webhooks?: Partial<WebhookSettings> | undefined;
  /** How old payments are when they are added to the totals; 60 s by default. */
  totalsLagMs?: number | undefined;
  /** Watches the store at work: what the use cases use is what `opened` gives back. */
  observer?: DriverObserver & { opened: (store: Store, driver: Driver) => Store };
  /** Where live payments go; to the simulator without it. */
  network?: GuardedNetwork | undefined;
  dueTimes?: DueTimes;
  /** Aborted when the service ends: nobody is kept waiting then. */
  ending?: AbortSignal;
};

/** The use cases over a database, without HTTP: what key management needs. */
export async function openService(
  settings: ServiceSettings,
  {
    migrates = true,
    begins = true,
    publicUrl,
    hppExpiryMs,
    webhooks,
    totalsLagMs,
    observer,
    network,
    dueTimes,
    ending,
  }: Options = {},
): Promise<OpenService> {
  const { database } = settings;
  const driver = await (begins ? openDriver(database, observer) : openExisting(database));
  const first = buildAccount({ ids, clock: Date.now });
  const opening = async () => {
    if (!begins) await requireDatabase(driver, database);
    return await openStore(driver, first, { migrates });
  };
  const opened = await opening().catch(async (error: unknown) => {
    await driver.close();
    throw error;
  });
  const watched = observer ? observer.opened(opened, driver) : opened;
  const store = dueTimes ? watchDueTimes(watched, dueTimes) : watched;
  const options = { processingTimeMs: settings.processingTimeMs ?? defaultProcessingTimeMs };
  const test = createTestNetwork(options);
  const simulator = createSimulatorNetwork(options);
  const live = network ?? simulator;
  const service = createService({
    store,
    networkOf: (scope) => (scope.livemode ? live : test),
    simulator,
    clock: Date.now,
    ids,
    publicUrl: () => publicUrl?.(),
    hppExpiryMs: hppExpiryMs ?? defaultHppExpiryMs,
    webhooks: {
      schedule: webhookSchedule,
      eventRetentionMs: defaultEventRetentionMs,
      allowsPrivate: false,
      ...webhooks,
    },
    totalsLagMs,
    shutdown: ending,
  });
  return { service, close: async () => store.close() };
}

/** Refuses a place where no database was begun, and leaves it as it is. */
async function requireDatabase(reader: Reader, database: string): Promise<void> {
  if ((await readSchema(reader)).databaseVersion > 0) return;
  throw new Unavailable(
    `There is no database of payments at ${describeDatabase(database)}. None was made.`,
    {
      hint: `Check --database or PAYMENTS_DATABASE; ${beginnersHint}`,
    },
  );
}

/**
 * Does what `settle` does until nothing is due, so that nothing is left for the next time unless there is
 * very much, or until it is stopped.
 */
export async function settleAll(
  settle: () => Promise<number>,
  signal?: AbortSignal,
): Promise<void> {
  for (let rounds = 0; rounds < 100; rounds++) {
    if ((await settle()) === 0 || signal?.aborted) return;
  }
}
