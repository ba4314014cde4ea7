import type { DeliveryObserver } from "../webhooks/record-attempt.ts";
import { purgeRequests } from "../requests/list-requests.ts";
import { purgeAuditLog } from "../accounts/accounts-service.ts";
import { purgeEvents } from "../webhooks/event-log.ts";
import { purgeIdempotencyRecords } from "../idempotency/run-idempotently.ts";
import { recordSessionUses } from "../accounts/sessions.ts";
import { createWebhookWorker } from "../webhooks/webhook-worker.ts";
import { toMaskedError } from "../../contract/mask.ts";
import type { WorkDone } from "../../contract/sandbox.ts";
import type { Log } from "../../runtime/log.ts";
import { ServiceError } from "../../contract/error.ts";
import { runUntilIdle } from "../database/due-work.ts";
import type { Service, Store } from "../service.ts";
import type { WebhookSender } from "../webhooks/webhooks-service.ts";
import { createQueue, type LateDeliveries } from "./held-deliveries.ts";
import type { SandboxClock } from "./sandbox-clock.ts";

type Parts = {
  service: Service;
  clock: SandboxClock;
  sender: WebhookSender;
  /** The next time at which work comes due. */
  findNextDue: (nowMs: number) => Promise<number | undefined>;
  /** The charges settled since the start. */
  settled: Settled;
  late: LateDeliveries;
  observe: DeliveryObserver["attempted"];
  /** Aborted when the sandbox starts over or ends: a move of the clock ends with an error. */
  interruption: AbortSignal;
  log: Log | undefined;
};

const maxPauseMs = 60 * 60 * 1_000;
const retryMs = 1_000;

/**
 * Does what a service does by itself, by a clock that can be moved on. Work that is due now is done at once. Where the
 * clock runs, a timer waits for what comes due next; where it is moved on, each thing is done at its own time on the
 * way.
 */
export function createWorkRunner(parts: Parts) {
  const { service, clock, sender, findNextDue, settled, late, interruption, log } = parts;
  const sent = { delivered: 0, delivery_attempts: 0 };
  let timer: NodeJS.Timeout | undefined;
  const ending = new AbortController();
  /** Work runs one pass at a time; a move of the clock waits for the pass before it. */
  const runAlone = createQueue();
  let isQueued = false;

  const worker = createWebhookWorker(service, {
    sender,
    failingPauseMs: 0,
    wake,
    observe: {
      attempted: (outcome, attempt) => {
        sent.delivery_attempts++;
        if (outcome === "delivered") sent.delivered++;
        parts.observe(outcome, attempt);
      },
      disabled: (_scope, endpoint, reason) =>
        log?.error({ endpoint, reason }, "a webhook endpoint was disabled"),
      broken: (error) => log?.error({ err: toMaskedError(error) }, "a delivery was not finished"),
    },
  });

  /** There may be something to do. */
  function wake(): void {
    if (isQueued || ending.signal.aborted) return;
    isQueued = true;
    setImmediate(() => void runAlone(runInBackground));
  }

  async function runInBackground(): Promise<void> {
    isQueued = false; // what is written from now on may be missed by this pass
    if (ending.signal.aborted) return;
    try {
      clearTimeout(timer);
      const nowMs = clock.now(); // work that gets due during the pass is due after this time
      await startDue();
      if (clock.mode === "manual") return;
      const nextMs = await findNextDue(nowMs);
      if (nextMs !== undefined) wakeIn(nextMs - clock.now());
    } catch (error) {
      log?.error({ err: toMaskedError(error) }, "background work failed");
      wakeIn(retryMs);
    }
  }

  function wakeIn(ms: number): void {
    timer = setTimeout(wake, Math.min(Math.max(ms, 0), maxPauseMs)).unref();
  }

  /** Settles what is due, and starts the deliveries that are. */
  async function startDue(): Promise<void> {
    await runUntilIdle(service.settlePayments);
    await worker.deliver();
  }

  /**
   * Does all that is due now, and waits until it is done: work that is done may make more of it due. Webhooks that
   * requests cause meanwhile are sent in the next step of a move to `targetMs`, or after it.
   */
  async function drainDue(targetMs: number): Promise<void> {
    await late.release(clock.now());
    let [before, settledBefore] = [-1, -1];
    do {
      before = countDone();
      await runUntilIdle(service.settlePayments);
      if (countSettled() > settledBefore) late.holdNewer(targetMs + 1);
      settledBefore = countSettled();
      await worker.deliver();
      await worker.idle();
    } while (countDone() > before && !interruption.aborted);
  }

  function countSettled(): number {
    return settled.settled + settled.expired;
  }

  function countDone(): number {
    return countSettled() + sent.delivery_attempts;
  }

  async function moveTo(computeTarget: (nowMs: number) => number): Promise<WorkDone> {
    if (interruption.aborted) throw createEndingError();
    const targetMs = computeTarget(clock.now());
    clock.hold(clock.now());
    try {
      await recordSessionUses(service); // at their own time, which the move may be long after
      await drainDue(targetMs); // what was due before is not counted
      const before = { ...settled, ...sent };
      for (;;) {
        const nextMs = await findNextDue(clock.now());
        if (interruption.aborted) throw createEndingError();
        if (nextMs === undefined || nextMs > targetMs) break;
        clock.hold(nextMs);
        await drainDue(targetMs);
      }
      clock.hold(targetMs);
      const purged = await purge();
      return {
        settled: settled.settled - before.settled,
        expired: settled.expired - before.expired,
        delivered: sent.delivered - before.delivered,
        delivery_attempts: sent.delivery_attempts - before.delivery_attempts,
        purged,
      };
    } finally {
      clock.release();
      await late.release(clock.now()).finally(wake);
    }
  }

  /** Counts events and stores requests first, so that the number of purged rows does not depend on other work. */
  async function purge(): Promise<number> {
    await service.flushRequests();
    await service.countTotals(interruption);
    const records = await purgeIdempotencyRecords(service);
    const history = (await purgeEvents(service)) + (await purgeAuditLog(service));
    return records + history + (await purgeRequests(service));
  }

  wake();
  return {
    wake,
    /**
     * Moves the time on to the one that `computeTarget` answers; it may throw. All that is due by then is done first.
     */
    moveTo: async (computeTarget: (nowMs: number) => number) =>
      runAlone(async () => moveTo(computeTarget)),
    /** Purges what has expired. */
    purge,
    /** Begins nothing more, and ends the deliveries that are under way. */
    end: async (): Promise<void> => {
      ending.abort();
      clearTimeout(timer);
      worker.end();
      await sender.close();
      await worker.idle();
      await runAlone(async () => {});
    },
  };
}

/** The error of work that a sandbox does not finish. */
export function createEndingError(): ServiceError {
  return new ServiceError("service_unavailable", "The sandbox starts over, or ends.");
}

/** Methods of a store that read, or that write nothing which could come due. */
const causesNoWork = /^(?:find|list|lease|measure|count|is|search|index|merge|record|purge)/;

/** The changes that the service makes by itself, apart from webhooks and purges. */
export type Settled = Pick<WorkDone, "settled" | "expired">;

/** The same store, which counts what settles and expires, and calls `onWrite` after each write. */
export function watchStore(store: Store, done: Settled, onWrite: () => void): Store {
  const entries = Object.entries(store) as [string, (...args: unknown[]) => Promise<unknown>][];
  const watched = Object.fromEntries(
    entries.map(([name, method]) => [
      name,
      causesNoWork.test(name)
        ? method
        : async (...args: unknown[]) => {
            try {
              return await method(...args);
            } finally {
              onWrite();
            }
          },
    ]),
  ) as Store;
  return {
    ...watched,
    updateCharge: async (move) => {
      const outcome = await watched.updateCharge(move);
      if (outcome !== "conflict" && move.payment) done.settled++;
      return outcome;
    },
    closePage: async (write) => {
      const written = await watched.closePage(write);
      const { payment } = write;
      const hasExpired = payment.status === "failed" && payment.decline_code === "hpp_expired";
      if (written.outcome === "written" && hasExpired) done.expired++;
      return written;
    },
  };
}
