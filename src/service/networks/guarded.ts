import { fairSemaphore } from "../../runtime/fair-semaphore.ts";
import type { Unknown } from "../domain/charge-state.ts";
import type {
  Permit,
  PermitRequest,
  CardNetwork,
  Charge,
  GuardedNetwork,
  NetworkObserver,
  NetworkOperation,
  NetworkOutcome,
} from "../ports/card-network.ts";
import { createBreaker } from "./breaker.ts";

type NetworkLimits = {
  /** How many may ask at once, and how many may wait for a slot. */
  slots: number;
  maxWaiting: number;
  /** How long one waits for a slot, and where the network fails for its turn. */
  waitMs: number;
  /** How many unknown outcomes in a row open the breaker. */
  failures: number;
  /** How often it lets one through while it is open. */
  everyMs: number;
};

const defaultLimits: NetworkLimits = {
  slots: 64,
  maxWaiting: 512,
  waitMs: 5_000,
  failures: 10,
  everyMs: 1_000,
};
/** What is asked for leaves an eighth of the slots to the other purpose, and an account that of these to others. */
const timesFree = 7;

/** A network behind a limited number of slots and a breaker, under a name, and watched by `observe`. */
export function guardNetwork(
  name: string,
  network: CardNetwork,
  observe: NetworkObserver,
  { limits = defaultLimits, clock = () => performance.now() } = {},
): GuardedNetwork {
  const { slots, maxWaiting, waitMs } = limits;
  const semaphore = fairSemaphore({ slots, maxWaiting, timesFree });
  const gate = createBreaker(limits, { clock, changed: observe.breaker });

  const watched = withEach(network, (operation, question) => async (charge, ...rest) => {
    const startMs = clock();
    const outcome = await question(charge, ...rest);
    const tookMs = clock() - startMs;
    if (outcome.outcome === "unknown" && !outcome.isInvalid) gate.failed();
    else gate.succeeded();
    observe.answered({ operation, paymentId: charge.id, outcome, tookMs });
    return outcome;
  });

  async function admit({ accountId, purpose }: PermitRequest): Promise<Permit | undefined> {
    const deadlineMs = clock() + waitMs;
    if (purpose === "charge" && !gate.mayPass()) return turnedAway("breaker_open"); // before waiting in vain
    const slot = await semaphore.acquire([purpose, accountId], waitMs);
    if (!slot) return turnedAway("no_place");
    const leave = () => slot[Symbol.dispose]();
    const hasPassed =
      purpose === "charge" ? gate.pass() : await gate.passInTurn(deadlineMs - clock());
    if (hasPassed) return { network: watched, [Symbol.dispose]: leave };
    leave();
    return turnedAway("breaker_open");
  }

  function turnedAway(reason: "no_place" | "breaker_open"): undefined {
    observe.rejected(reason);
  }

  return {
    name,
    isLocal: false,
    countryOf: network.countryOf.bind(network),
    admit,
    isFailing: gate.isOpen,
  };
}

type Question<R extends unknown[], O> = (charge: Charge, ...rest: R) => Promise<O | Unknown>;

/** The same network, with something put around each thing that it can be asked. */
function withEach(
  network: CardNetwork,
  around: <R extends unknown[], O extends NetworkOutcome>(
    operation: NetworkOperation,
    question: Question<R, O>,
  ) => Question<R, O>,
): CardNetwork {
  const prepare = network.prepare?.bind(network);
  return {
    ...network,
    ...(prepare && { prepare: around("prepare", prepare) }),
    charge: around("charge", network.charge.bind(network)),
    lookUp: around("lookUp", network.lookUp.bind(network)),
    cancel: around("cancel", network.cancel.bind(network)),
    refund: around("refund", network.refund.bind(network)),
  };
}
