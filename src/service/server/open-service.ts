import {
  type StoredAccount,
  createAccountStore,
  insertAccount,
} from "../accounts/accounts-store.ts";
import { buildAccount } from "../accounts/manage-accounts.ts";
import { createOperatorStore } from "../accounts/operators-store.ts";
import { noDatabaseError, openDriver, openExisting } from "../database/database.ts";
import type { Driver, DriverObserver } from "../database/driver.ts";
import { isCurrent, migrate, readSchema, requireSchema } from "../database/migrate.ts";
import { createIdempotencyStore } from "../idempotency/idempotency-store.ts";
import type { GuardedNetwork, LocalNetwork } from "../networks/card-network.ts";
import { createSimulatorNetwork, createTestNetwork } from "../networks/simulator.ts";
import { createHistoryStore } from "../history/get-history.ts";
import { createPaymentStore } from "../payments/payments-store.ts";
import { createTotalsStore } from "../reports/totals-store.ts";
import { createRequestStore } from "../requests/requests-store.ts";
import { createSearchStore } from "../search/search-store.ts";
import { type Adapters, type Service, type Store, createService } from "../service.ts";
import { webhookSchedule } from "../webhooks/delivery-state.ts";
import type { SenderSettings } from "../webhooks/webhook-sender.ts";
import type { WebhookSettings } from "../webhooks/webhooks-service.ts";
import { createWebhooksStore } from "../webhooks/webhooks-store.ts";
import { ids } from "../database/ids.ts";
import type { ServiceSettings } from "./service-settings.ts";

export type OpenService = { service: Service; close: () => Promise<void> };

export const defaultProcessingTimeMs = 1_000;
const dayMs = 24 * 60 * 60 * 1000;

/** How a service differs from one over the system's clock and random source. */
export type ServiceParts = Partial<
  Pick<
    Adapters,
    | "clock"
    | "ids"
    | "isStoreRemote"
    | "jitter"
    | "timeouts"
    | "searchLagMs"
    | "totalsLagMs"
    | "requestLog"
  >
> & {
  /** The address at which customers reach the payment pages; without it none can be created. */
  publicUrl?: (() => string) | undefined;
  hppExpiryMs?: number | undefined;
  webhooks?: Partial<WebhookSettings> | undefined;
  /** The card network of live payments; the simulator by default. */
  network?: LocalNetwork | GuardedNetwork | undefined;
  observeChallenge?: Adapters["observeChallenge"];
  /** By default one that is loaded for the first test, and obeys `webhooks`. */
  sender?: Adapters["sender"] | undefined;
  /** Of the program. */
  version?: string | undefined;
  /** Aborted when the service ends, so that no listener waits any longer. */
  ending?: AbortSignal | undefined;
};

type Options = ServiceParts & {
  /** Whether an older schema is migrated; true by default. */
  migrates?: boolean;
  /** Whether a missing database is created; true by default. */
  createsDatabase?: boolean;
  observer?: DriverObserver;
  /** Watches the store at work: the use cases use the store that it returns. */
  watch?: (store: Store, driver: Driver) => Store;
};

/** Opens the use cases over a database, without HTTP. Close it when done. */
export async function openService(
  { database, processingTimeMs = defaultProcessingTimeMs }: ServiceSettings,
  options: Options = {},
): Promise<OpenService> {
  const { migrates = true, createsDatabase = true, observer, watch, ...parts } = options;
  const driver = await (createsDatabase
    ? openDriver(database, { observer })
    : openExisting(database));
  let store: Store;
  try {
    if (!createsDatabase) await requireDatabase(driver, database);
    store = await openStore(driver, buildAccount({ ids, clock: Date.now }), { migrates });
  } catch (error) {
    await driver.close();
    throw error;
  }
  const service = createServiceOver(watch ? watch(store, driver) : store, processingTimeMs, {
    ...parts,
    isStoreRemote: driver.maxRows > 1, // what writes rows one by one is in this process
  });
  return {
    service,
    close: async () => {
      const lost = await service.flushRequests();
      if (lost > 0) options.requestLog?.observe?.lost?.(lost);
      await driver.close();
    },
  };
}

async function requireDatabase(driver: Driver, database: string): Promise<void> {
  if ((await readSchema(driver)).databaseVersion > 0) return;
  throw noDatabaseError(database);
}

/**
 * Opens the store of a driver, and migrates its schema; a new database begins with the account `first`. Without
 * `migrates` only an empty database gets a schema, and an older one is refused.
 */
export async function openStore(
  driver: Driver,
  first: StoredAccount,
  { migrates = true } = {},
): Promise<Store> {
  await (migrates ? migrate : requireSchema)(driver, insertAccount(first));
  return {
    ...createPaymentStore(driver),
    ...createIdempotencyStore(driver),
    ...createAccountStore(driver),
    ...createWebhooksStore(driver),
    ...createOperatorStore(driver),
    ...createTotalsStore(driver),
    ...createSearchStore(driver),
    ...createRequestStore(driver),
    ...createHistoryStore(driver),
    isCurrent: async () => isCurrent(driver),
    isWritable: async () => (await driver.isWritable?.()) ?? true,
    close: () => driver.close(),
  };
}

/** The use cases over an open store. */
export function createServiceOver(
  store: Store,
  processingTimeMs: number,
  { publicUrl, hppExpiryMs = dayMs, webhooks, network, ending, ...others }: ServiceParts,
): Service {
  const { version = "unknown", sender, ...parts } = others;
  const test = createTestNetwork({ processingTimeMs });
  const simulator = createSimulatorNetwork({ processingTimeMs });
  const live = network ?? simulator;
  return createService({
    clock: Date.now,
    ids,
    ...parts,
    store,
    networkOf: (scope) => (scope.livemode ? live : test),
    simulator,
    publicUrl: () => publicUrl?.(),
    hppExpiryMs,
    webhooks: {
      schedule: webhookSchedule,
      eventRetentionMs: 30 * dayMs,
      allowsPrivate: false,
      ...webhooks,
    },
    sender: sender ?? createOwnSender({ allowPrivate: webhooks?.allowsPrivate ?? false, version }),
    shutdown: ending,
  });
}

/** A sender of which the commands that send nothing load nothing. It is closed after each use: few tests are sent. */
function createOwnSender(settings: SenderSettings): Adapters["sender"] {
  return {
    send: async (webhook) => {
      const { createWebhookSender } = await import("../webhooks/webhook-sender.ts");
      const sender = createWebhookSender(settings);
      try {
        return await sender.send(webhook);
      } finally {
        await sender.close();
      }
    },
  };
}
