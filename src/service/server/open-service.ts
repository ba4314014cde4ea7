import { buildAccount } from "../accounts/manage-accounts.ts";
import { webhookSchedule } from "../domain/delivery-schedule.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { watchDueTimes, type DueTimes } from "../jobs/watch-due-times.ts";
import { createSimulatorNetwork, createTestNetwork } from "../networks/simulator.ts";
import type { GuardedNetwork } from "../ports/card-network.ts";
import type { Adapters, Store, WebhookSettings } from "../ports/ports.ts";
import { beginnersHint, describeDatabase, openDriver, openExisting } from "../store/database.ts";
import type { Driver, DriverObserver } from "../store/driver.ts";
import { readSchema } from "../store/migrate.ts";
import { openStore } from "../store/store.ts";
import { createService, type Service } from "../use-cases/service.ts";
import { ids } from "./ids.ts";
import type { ServiceSettings } from "./serve-settings.ts";

export type OpenService = { service: Service; close: () => Promise<void> };

export const defaultProcessingTimeMs = 1_000;
const dayMs = 24 * 60 * 60 * 1000;

type Options = {
  /** Whether an older schema is migrated; true by default. */
  migrates?: boolean;
  /** Whether a missing database is created; true by default. */
  begins?: boolean;
  /** The address at which customers reach the payment pages; without it none can be created. */
  publicUrl?: () => string;
  hppExpiryMs?: number | undefined;
  webhooks?: Partial<WebhookSettings> | undefined;
  /** How old payments are when they are added to the totals. */
  totalsLagMs?: number | undefined;
  /** Watches the store at work: the use cases use the store that `opened` returns. */
  observer?: DriverObserver & { opened: (store: Store, driver: Driver) => Store };
  /** The card network of live payments; the simulator by default. */
  network?: GuardedNetwork | undefined;
  observeChallenge?: Adapters["observeChallenge"];
  dueTimes?: DueTimes;
  /** Aborted when the service ends, so that no listener waits any longer. */
  ending?: AbortSignal;
};

/** Opens the use cases over a database, without HTTP. Close it when done. */
export async function openService(
  { database, processingTimeMs = defaultProcessingTimeMs }: ServiceSettings,
  options: Options = {},
): Promise<OpenService> {
  const { migrates = true, begins = true, publicUrl, observer, dueTimes } = options;
  const driver = await (begins ? openDriver(database, observer) : openExisting(database));
  let store: Store;
  try {
    if (!begins) await requireDatabase(driver, database);
    store = await openStore(driver, buildAccount({ ids, clock: Date.now }), { migrates });
  } catch (error) {
    await driver.close();
    throw error;
  }
  const observed = observer ? observer.opened(store, driver) : store;
  const test = createTestNetwork({ processingTimeMs });
  const simulator = createSimulatorNetwork({ processingTimeMs });
  const live = options.network ?? simulator;
  const service = createService({
    store: dueTimes ? watchDueTimes(observed, dueTimes) : observed,
    networkOf: (scope) => (scope.livemode ? live : test),
    simulator,
    clock: Date.now,
    ids,
    publicUrl: () => publicUrl?.(),
    hppExpiryMs: options.hppExpiryMs ?? dayMs,
    webhooks: {
      schedule: webhookSchedule,
      eventRetentionMs: 30 * dayMs,
      allowsPrivate: false,
      ...options.webhooks,
    },
    totalsLagMs: options.totalsLagMs,
    observeChallenge: options.observeChallenge,
    shutdown: options.ending,
  });
  return { service, close: async () => driver.close() };
}

async function requireDatabase(driver: Driver, database: string): Promise<void> {
  if ((await readSchema(driver)).databaseVersion > 0) return;
  throw new Unavailable(
    `There is no database of payments at ${describeDatabase(database)}. None was made.`,
    { hint: `Check --database or PAYMENTS_DATABASE; ${beginnersHint}` },
  );
}
