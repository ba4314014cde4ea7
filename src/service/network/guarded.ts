import type {
  Admission,
  CardNetwork,
  Charge,
  GuardedNetwork,
  NetworkObserver,
  NetworkOperation,
  NetworkOutcome,
  Unknown,
} from "../use-cases/card-network.ts";
import { breaker } from "./breaker.ts";
import { places } from "./places.ts";

type NetworkLimits = {
  /** How many may ask at once. */
  places: number;
  /** How long one waits for a place. */
  waitMs: number;
  /** How many unknown outcomes in a row open the breaker. */
  failures: number;
  /** How often it lets one through while it is open. */
  everyMs: number;
};

const usualLimits: NetworkLimits = { places: 64, waitMs: 5_000, failures: 10, everyMs: 1_000 };

/** A network behind a limited number of places and a breaker, under a name, and watched by `observe`. */
export function guarded(
  name: string,
  network: CardNetwork,
  observe: NetworkObserver,
  { limits = usualLimits, clock = () => performance.now() } = {},
): GuardedNetwork {
  const room = places({ count: limits.places, waitMs: limits.waitMs });
  const gate = breaker(limits, { clock, changed: observe.breaker });

  const watched = withEach(network, (operation, question) => async (charge, ...rest) => {
    const startMs = clock();
    const outcome = await question(charge, ...rest);
    const tookMs = clock() - startMs;
    if (outcome.outcome === "unknown" && !outcome.isInvalid) gate.failed();
    else gate.succeeded();
    observe.answered({ operation, paymentId: charge.id, outcome, tookMs });
    return outcome;
  });

  async function admit(): Promise<Admission | undefined> {
    if (gate.letsThrough() === 0) return turnedAway("breaker_open"); // before waiting for a place in vain
    if (!(await room.take())) return turnedAway("no_place");
    if (gate.pass()) return { network: watched, [Symbol.dispose]: room.leave };
    room.leave();
    return turnedAway("breaker_open");
  }

  function turnedAway(reason: "no_place" | "breaker_open"): undefined {
    observe.turnedAway(reason);
  }

  const inTurn = withEach(watched, (_, question) => async (charge, ...rest) => {
    using admission = await admit();
    return admission ? await question(charge, ...rest) : notAsked;
  });
  return { ...inTurn, name, isLocal: false, admit, letsThrough: gate.letsThrough };
}

const notAsked: Unknown = {
  outcome: "unknown",
  reason: "the network was not asked: it is failing, or is being asked by too many",
  isUnsent: true,
};

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
