import { purgeIdempotencyRecords } from "../idempotency/run-idempotently.ts";
import { recordSessionUses } from "../accounts/sessions.ts";
import { recordKeyUses } from "../accounts/authenticate.ts";
import { createWebhookWorker } from "../webhooks/webhook-worker.ts";
import { createChargeSettler } from "../payments/settle-charges.ts";
import { purgeRequests } from "../requests/list-requests.ts";
import { purgeAuditLog } from "../accounts/accounts-service.ts";
import { purgeEvents } from "../webhooks/event-log.ts";
import { withTimeout } from "../../runtime/promises.ts";
import { toMaskedError } from "../../contract/mask.ts";
import type { Log } from "../../runtime/log.ts";
import type { WebhookSender } from "../webhooks/webhooks-service.ts";
import type { Service } from "../service.ts";
import type { DeliveryObserver } from "../webhooks/record-attempt.ts";
import { createIndexJob, createIndexProcessJob, createIndexSchedule } from "./index-job.ts";
import { runUntilIdle } from "../database/due-work.ts";
import {
  type Job,
  createDueSchedule,
  createGrowingInterval,
  createInterval,
  startJob,
} from "./scheduler.ts";

/** Short, so that an event is sent at once; not zero, so that many events need few queries. */
const deliveryStepMs = 100;
/** How long deliveries that are running may take when a service ends; then another replica retries them. */
const finishDeliveriesMs = 5_000;

/**
 * The schedules of work that comes due at a known time. Charges of a card network have their own, so that nothing
 * else waits for a network that does not answer.
 */
export function createDueSchedules(processingTimeMs: number) {
  const stepMs = Math.min(250, Math.max(20, processingTimeMs / 4));
  return {
    payments: createDueSchedule(stepMs),
    charges: createDueSchedule(stepMs),
    deliveries: createDueSchedule(deliveryStepMs),
    index: createIndexSchedule(),
  };
}

type Options = {
  due: ReturnType<typeof createDueSchedules>;
  /** Whether live payments go to a card network, whose charges have to be settled. */
  hasNetwork: boolean;
  /** The database whose payments a process of its own indexes; where there is none, this process does. */
  indexedApart: string | undefined;
  /** It is closed at the end. */
  sender: WebhookSender;
  observe: Pick<DeliveryObserver, "attempted">;
  log: Log | undefined;
};

/**
 * Starts all that a service does by itself; the returned function stops it.
 *
 * Work is rows of the database. A row is available when it is due, running while a replica holds its lease,
 * retryable with backoff when an attempt fails or its lease ends, and then completed, or discarded (a delivery
 * that failed for too long). Purging and counting need no lease: done twice at once they do no harm.
 */
export function startBackgroundJobs(service: Service, options: Options): () => Promise<void> {
  const { due, hasNetwork, log } = options;
  const jobs: Record<string, Job> = {
    /** Leases each payment that settles without a card network, and each expired page. */
    settlePayments: {
      due: due.payments.wait,
      run: async (signal) => runUntilIdle(service.settlePayments, signal),
    },
    /** Leases each charge. */
    ...(hasNetwork && { settleCharges: createSettleJob(service, options) }),
    /** Leases each delivery. */
    deliverWebhooks: createDeliveryJob(service, options),
    purgeIdempotencyRecords: {
      due: createGrowingInterval(1_000, 60_000),
      run: async (signal) => purgeIdempotencyRecords(service, signal),
    },
    purgeRequests: {
      due: createGrowingInterval(1_000, 30_000),
      run: service.purgeWrittenRequests,
    },
    purgeHistory: {
      due: createGrowingInterval(10_000, 10 * 60_000),
      run: async (signal) => {
        await purgeEvents(service, signal);
        await purgeAuditLog(service, signal);
        await purgeRequests(service, signal);
      },
    },
    recordKeyUses: { due: createInterval(5_000), run: async () => recordKeyUses(service) },
    recordSessionUses: { due: createInterval(5_000), run: async () => recordSessionUses(service) },
    /** Leases each index. */
    indexPayments: createIndexing(service, options),
    countTotals: { due: createGrowingInterval(1_000, 30_000), run: service.countTotals },
  };
  const stops = Object.values(jobs).map((job) => startJob(job, log));
  return async () => void (await Promise.all(stops.map(async (stop) => stop())));
}

function createIndexing(service: Service, { due: { index }, indexedApart, log }: Options): Job {
  if (indexedApart !== undefined) {
    const isAny = service.store.hasIndexesToWrite;
    return createIndexProcessJob(indexedApart, { schedule: index, isAny, log });
  }
  const job = createIndexJob(service.indexPayments);
  index.onMany(job.endPause);
  return job;
}

function createSettleJob(service: Service, { due: { charges }, log }: Options): Job {
  const { settle, end, idle } = createChargeSettler(service, {
    wake: () => charges.wakeAt(Date.now()),
    broken: (error) => log?.error({ err: toMaskedError(error) }, "a charge was not settled"),
  });
  return { due: charges.wait, run: settle, end, finish: idle };
}

function createDeliveryJob(
  service: Service,
  { due: { deliveries }, sender, observe, log }: Options,
): Job {
  const { deliver, end, idle } = createWebhookWorker(service, {
    sender,
    wake: () => deliveries.wakeAt(Date.now()),
    observe: {
      ...observe,
      disabled: ({ livemode }, endpoint, reason) =>
        log?.error({ endpoint, livemode, reason }, "a webhook endpoint was disabled"),
      broken: (error) => log?.error({ err: toMaskedError(error) }, "a delivery was not finished"),
    },
  });
  return {
    due: deliveries.wait,
    run: deliver,
    end,
    finish: async () => {
      await withTimeout(idle(), finishDeliveriesMs, () => {});
      await sender.close();
      await idle();
    },
  };
}
