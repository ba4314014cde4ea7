import { randomUUID } from "node:crypto";
import { testCards } from "../../../src/contract/card.ts";
import type { CardInput } from "../../../src/contract/payment.ts";
import type {
  CancelOutcome,
  CardNetwork,
  Charge,
  ChargeOutcome,
  GuardedNetwork,
  LookUpOutcome,
  PermitRequest,
  RefundOutcome,
  Unknown,
} from "../../../src/service/networks/card-network.ts";

/** The decisions of the network for each operation. */
type Decisions = {
  charge: Exclude<ChargeOutcome, Unknown>;
  lookUp: Exclude<LookUpOutcome, Unknown>;
  cancel: Exclude<CancelOutcome, Unknown>;
  refund: Exclude<RefundOutcome, Unknown>;
};
type Operation = keyof Decisions;

/**
 * Handles one call. `decide` makes the network decide and record its decision: its own, or the one of the test where
 * the records leave that open. The caller gets the result of the step.
 */
type Step<O extends Operation> = (
  decide: (as?: Decisions[O]) => Decisions[O],
) => MaybePromise<Decisions[O] | Unknown>;
type MaybePromise<T> = T | Promise<T>;

type Entry = {
  charge: Exclude<Decisions["lookUp"], { outcome: "not_found" }>;
  refund?: Decisions["refund"];
};

const unknown: Unknown = { outcome: "unknown", reason: "no answer" };
export const declined = { outcome: "declined", code: "insufficient_funds" } as const;
export const processing = { outcome: "processing", retryAfterMs: 60_000 } as const;

/** The answer about a charge that was canceled, or never approved. */
const tooLate = { outcome: "declined", code: "processing_error" } as const;

/** The request never arrives. */
export const unreached = () => unknown;
/** The network decides, but its answer is lost. */
export const lost = (decide: () => unknown): Unknown => (decide(), unknown);

/** The network decides at once, and answers when `gate` resolves. */
export function late(gate: Promise<unknown>) {
  return async <Decision>(decide: () => Decision): Promise<Decision> => {
    const decision = decide();
    await gate;
    return decision;
  };
}

/**
 * A network that moves money, in memory. It approves every card except the declined test cards, and asks the customer
 * about one; a test can handle the next calls of each operation with `steps`.
 */
export function fakeNetwork(name = "https://adapter.test") {
  const books = new Map<string, Entry>();
  const calls: [operation: Operation, charge: Charge, card?: CardInput][] = [];
  const steps: { [O in Operation]: Step<O>[] } = { charge: [], lookUp: [], cancel: [], refund: [] };

  const admitted: CardNetwork = {
    countryOf: () => "DE",
    charge: async (charge, card) => {
      calls.push(["charge", charge, card]);
      return await next("charge", (as = fateOf(charge, card)) => {
        const entry = books.get(charge.id) ?? { charge: as };
        books.set(charge.id, entry);
        return entry.charge.outcome === "canceled" ? tooLate : entry.charge;
      });
    },
    lookUp: async (charge) => {
      calls.push(["lookUp", charge]);
      return await next("lookUp", (as) => {
        const entry = books.get(charge.id);
        if (!entry || as?.outcome === "not_found") return { outcome: "not_found" };
        const isDecided = !["processing", "action"].includes(entry.charge.outcome);
        if (as && !isDecided) entry.charge = as;
        return entry.charge;
      });
    },
    cancel: async (charge) => {
      calls.push(["cancel", charge]);
      return await next("cancel", (as = { outcome: "canceled" }) => {
        if (as.outcome === "canceled") books.set(charge.id, { charge: as });
        return as;
      });
    },
    refund: async (charge) => {
      calls.push(["refund", charge]);
      return await next("refund", (as = { outcome: "refunded", reference: `re_${charge.id}` }) => {
        const entry = books.get(charge.id);
        if (entry?.charge.outcome !== "approved") return tooLate;
        if (!entry.refund || entry.refund.outcome === "processing") entry.refund = as;
        return entry.refund;
      });
    },
  };

  const network: GuardedNetwork = {
    name,
    isLocal: false,
    admit: async (asking) => {
      if (fake.isFull) return undefined;
      fake.admitted.push(asking);
      const leave = () => fake.admitted.splice(fake.admitted.indexOf(asking), 1);
      return { network: admitted, [Symbol.dispose]: leave };
    },
    isFailing: () => fake.isFailing,
    countryOf: (card) => admitted.countryOf(card),
  };

  async function next<O extends Operation>(
    operation: O,
    decide: (as?: Decisions[O]) => Decisions[O],
  ): Promise<Decisions[O] | Unknown> {
    const step = steps[operation].shift();
    return step ? await step(decide) : decide();
  }

  const fake = {
    network,
    networkOf: () => network,
    admittedTo: admitted,
    /** All calls, in order. */
    calls,
    steps,
    /** Whether no slot is free. */
    isFull: false,
    /** Whether the circuit breaker is open. */
    isFailing: false,
    /** The requests that hold a slot. */
    admitted: [] as PermitRequest[],
    /** The customer decides at the bank. */
    endChallenge: (id: string, isApproved: boolean) => {
      const charge = isApproved ? approve(id) : unconfirmed;
      if (books.get(id)?.charge.outcome === "action") books.set(id, { charge });
    },
    /** The ids of the charges that were approved and not refunded. */
    listCharged: () =>
      [...books]
        .filter(
          ([, { charge, refund }]) =>
            charge.outcome === "approved" && refund?.outcome !== "refunded",
        )
        .map(([id]) => id),
  };
  return fake;
}

/** The page on which the network's bank asks the customer of a charge. */
export function toBankUrl(id: string): string {
  return `https://bank.example/confirm?id=${id}`;
}

const unconfirmed = { outcome: "declined", code: "authentication_required" } as const;

function approve(id: string): Decisions["charge"] {
  return { outcome: "approved", reference: `ch_${id}` };
}

function fateOf({ id, returnUrl }: Charge, { number }: CardInput): Decisions["charge"] {
  const outcome = testCards.find((card) => card.number === number)?.outcome ?? "succeeded";
  if (outcome === "succeeded") return approve(id);
  if (outcome === "authentication_required" && returnUrl !== null) {
    return { outcome: "action", reference: `ch_${id}`, url: toBankUrl(id), retryAfterMs: 60_000 };
  }
  return { outcome: "declined", code: outcome };
}

/** Builds a charge, with a new id unless it is given. */
export function chargeWith(fields: Partial<Charge> = {}): Charge {
  return {
    id: `pay_${randomUUID()}`,
    accountId: "acct_1",
    amount: 4999,
    currency: "eur",
    description: null,
    customer: null,
    returnUrl: null,
    reference: null,
    begunAtMs: Date.now(),
    ...fields,
  };
}

/** Builds a card that is approved and expires late. */
export function cardWith(fields: Partial<CardInput> = {}): CardInput {
  return { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "987", ...fields };
}
