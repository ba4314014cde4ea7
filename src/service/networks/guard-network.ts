import { createFairSemaphore } from "../../runtime/fair-semaphore.ts";
import {
  wrapOperations,
  type CardNetwork,
  type GuardedNetwork,
  type NetworkObserver,
  type NetworkOperation,
  type NetworkOutcome,
  type Permit,
  type PermitRequest,
} from "./card-network.ts";
import { startWait } from "../../runtime/promises.ts";

type NetworkLimits = {
  /** How many calls of the network run at once, and how many wait for a slot. */
  slots: number;
  maxWaiting: number;
  /** How long a request waits for a slot, and for its turn while the breaker is open. */
  waitMs: number;
  /** Consecutive unknown outcomes that open the breaker. */
  failures: number;
  /** The interval at which the open breaker lets one request through. */
  everyMs: number;
};

const defaultLimits: NetworkLimits = {
  slots: 64,
  maxWaiting: 512,
  waitMs: 5_000,
  failures: 10,
  everyMs: 1_000,
};
/**
 * Neither purpose (charge, settlement) may take the last eighth of the slots, nor an account the last eighth of its
 * purpose's: each uses at most seven times what it leaves free.
 */
const timesFree = 7;

/**
 * Puts a network behind a semaphore and a circuit breaker. New charges have another breaker besides, so that they wait
 * for a charge that works, and not only for a look-up.
 */
export function guardNetwork(
  name: string,
  network: CardNetwork,
  observe: NetworkObserver,
  { limits = defaultLimits, clock = () => performance.now() } = {},
): GuardedNetwork {
  const { slots, maxWaiting, waitMs } = limits;
  const semaphore = createFairSemaphore({ slots, maxWaiting, timesFree });
  const breaker = createBreaker(limits, clock);
  // A network may fail new charges alone. Its look-ups, which work, must not let them through: they would take every
  // place, and leave one look-up a second.
  const chargeBreaker = createBreaker(limits, clock);
  let wasOpen = false;

  function record(operation: NetworkOperation, outcome: NetworkOutcome): void {
    const hasFailed = outcome.outcome === "unknown" && !outcome.isInvalid;
    if (hasFailed) breaker.recordFailure();
    else breaker.recordSuccess();
    if (operation === "charge" || operation === "prepare") {
      if (hasFailed) chargeBreaker.recordFailure();
      else if (operation === "charge") chargeBreaker.recordSuccess(); // a charge that is only prepared may still fail
    }
    const isOpen = breaker.isOpen() || chargeBreaker.isOpen();
    if (isOpen !== wasOpen) observe.breaker(isOpen ? "open" : "closed");
    wasOpen = isOpen;
  }

  const observed = wrapOperations(network, (operation, call) => async (charge, ...rest) => {
    const startMs = clock();
    const outcome = await call(charge, ...rest);
    const tookMs = clock() - startMs;
    record(operation, outcome);
    observe.answered({ operation, paymentId: charge.id, outcome, tookMs });
    return outcome;
  });

  async function admit({ accountId, purpose }: PermitRequest): Promise<Permit | undefined> {
    const deadlineMs = clock() + waitMs;
    // A charge is refused while the breaker is open, so it need not wait for a slot.
    if (purpose === "charge" && !canCharge()) return reject("breaker_open");
    const slot = await semaphore.acquire([purpose, accountId], waitMs);
    if (!slot) return reject("no_place");
    const release = () => slot[Symbol.dispose]();
    const hasPassed =
      purpose === "charge"
        ? canCharge() && breaker.tryPass() && chargeBreaker.tryPass()
        : await breaker.passInTurn(deadlineMs - clock());
    if (hasPassed) return { network: observed, [Symbol.dispose]: release };
    release();
    return reject("breaker_open");
  }

  const canCharge = () => breaker.canPass() && chargeBreaker.canPass();

  function reject(reason: "no_place" | "breaker_open"): undefined {
    observe.rejected(reason);
  }

  return {
    name,
    isLocal: false,
    countryOf: network.countryOf.bind(network),
    admit,
    isFailing: breaker.isOpen,
  };
}

type BreakerLimits = {
  /** Consecutive failures that open it. */
  failures: number;
  /** The interval at which it lets one request through while it is open. */
  everyMs: number;
};

/**
 * A circuit breaker: it opens after a number of consecutive failures, and closes with the first success. While it is
 * open, requests that wait for their turn go first. `clock` is in milliseconds, and never goes back.
 */
function createBreaker({ failures, everyMs }: BreakerLimits, clock: () => number) {
  let failuresInRow = 0;
  let nextAtMs = clock();
  const queue = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const isOpen = () => failuresInRow >= failures;
  const isTurn = () => !isOpen() || clock() >= nextAtMs;

  function takeTurn(): boolean {
    if (!isTurn()) return false;
    nextAtMs = clock() + everyMs;
    return true;
  }

  function drainQueue(): void {
    clearTimeout(timer);
    for (const proceed of queue) {
      if (!takeTurn()) {
        timer = setTimeout(drainQueue, nextAtMs - clock());
        return;
      }
      proceed();
    }
  }

  return {
    isOpen,
    /** Whether a request could pass now; none overtakes those in the queue. */
    canPass: (): boolean => queue.size === 0 && isTurn(),
    /** Passes at once, or not at all. */
    tryPass: (): boolean => queue.size === 0 && takeTurn(),
    /** Waits for this request's turn; false where it does not come within `waitMs`. */
    passInTurn: async (waitMs: number): Promise<boolean> => {
      if (queue.size === 0 && takeTurn()) return true;
      const wait = startWait<true>(waitMs, () => queue.delete(proceed));
      const proceed = () => wait.end(true);
      queue.add(proceed);
      drainQueue();
      return (await wait.promise) ?? false;
    },
    recordFailure: (): void => {
      failuresInRow++;
    },
    recordSuccess: (): void => {
      failuresInRow = 0;
      drainQueue();
    },
  };
}
