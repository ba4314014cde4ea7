import { randomUUID } from "node:crypto";
import type { CardInput } from "../../contract/payment.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type {
  CancelOutcome,
  CardNetwork,
  Charge,
  LookUpOutcome,
  RefundOutcome,
} from "./card-network.ts";
import { type HttpNetworkSettings, createHttpTransactions } from "./http-network.ts";
import {
  type NetworkTransaction,
  NotOffered,
  type PageOutcome,
  listPages,
} from "./network-transactions.ts";

// The types and expectations that the checks of an adapter share.

/** The adapter under test. */
export type Trial = {
  /** The adapter, called with its secret; a call waits while the adapter is still processing. */
  adapter: RetryingNetwork;
  /** The same adapter, called with a wrong secret and without one. */
  unauthorized: CardNetwork[];
  /** A new charge, which is canceled at the end; without a `returnUrl` nobody can be asked about it. */
  newCharge: (returnUrl?: string) => Charge;
  /** The adapter's transactions, where it offers them. Error: BrokenPromise. */
  listTransactions: () => Promise<NetworkTransaction[] | "not_offered">;
  /** The same with a wrong secret: the status, or how it was answered. */
  listUnauthorized: () => Promise<PageOutcome[]>;
  /** Records that a charge was refunded, so that it need not be canceled. */
  isRefunded: (charge: Charge) => void;
};

/** A network whose answers are final, never `processing`. */
export type RetryingNetwork = Pick<CardNetwork, "lookUp" | "cancel" | "refund"> & {
  charge: (charge: Charge, card: CardInput) => Promise<LookUpOutcome>;
};

/** A promise that the adapter breaks; the message says how. */
export class BrokenPromise extends Error {
  override name = "BrokenPromise";
}

/** A promise, and its check on charges of its own. Errors: BrokenPromise. */
export type AdapterPromise = readonly [
  name: string,
  /** Returns what else is to be said of a promise that is kept. */
  verify: (trial: Trial) => Promise<string | void>,
];

export type Outcome = LookUpOutcome | CancelOutcome | RefundOutcome;

export const approvedCard: CardInput = {
  number: "4242424242424242",
  exp_month: 12,
  exp_year: 2099,
  cvc: "123",
};

export const canceled: Outcome = { outcome: "canceled" };

export function expectOutcome<K extends Outcome["outcome"]>(
  step: string,
  outcome: Outcome,
  ...expected: K[]
): asserts outcome is Extract<Outcome, { outcome: K }> {
  if (expected.some((kind) => kind === outcome.outcome)) return;
  throw new BrokenPromise(
    `${step}: ${describeOutcome(outcome)}, instead of ${expected.join(" or ")}`,
  );
}

/** Expects the same outcome, and the same page of a challenge; the message has no address of a bank. */
export function expectSame(step: string, outcome: Outcome, expected: Outcome): void {
  const [found, expectedText] = [describeOutcome(outcome), describeOutcome(expected)];
  if (found !== expectedText)
    throw new BrokenPromise(`${step}: ${found}, instead of ${expectedText}`);
  if (outcome.outcome === "action" && expected.outcome === "action" && outcome.url !== expected.url)
    throw new BrokenPromise(`${step}: action with another url`);
}

/** Makes a new charge, and expects its outcome; `first` is the adapter's answer. */
export async function chargeCard<K extends LookUpOutcome["outcome"]>(
  { adapter, newCharge }: Trial,
  card: CardInput,
  expected: K,
  returnUrl?: string,
): Promise<{ charge: Charge; first: Extract<LookUpOutcome, { outcome: K }> }> {
  const charge = newCharge(returnUrl);
  const first = await adapter.charge(charge, card);
  expectOutcome("the charge", first, expected);
  return { charge, first };
}

/** Expects that a charge which is sent again, with this card, is not made again. */
export async function expectMadeOnce(
  { adapter }: Trial,
  { charge, first }: { charge: Charge; first: Outcome },
  card: CardInput,
): Promise<void> {
  expectSame("the second answer", await adapter.charge(charge, card), first);
  expectSame("its look-up", await adapter.lookUp(charge), first);
}

/** Expects that a charge is canceled, also the second time, and found so by its id. */
export async function expectCancelable({ adapter }: Trial, charge: Charge): Promise<void> {
  expectSame("the cancel", await adapter.cancel(charge), canceled);
  expectSame("its look-up", await adapter.lookUp(charge), canceled);
  expectSame("the second cancel", await adapter.cancel(charge), canceled);
  expectSame("its second look-up", await adapter.lookUp(charge), canceled);
}

/** Expects that a charge is canceled for good: sent again, it is not made. */
export async function expectCanceledForGood(
  { adapter }: Trial,
  charge: Charge,
  card: CardInput,
): Promise<void> {
  expectSame("the cancel", await adapter.cancel(charge), canceled);
  const again = await adapter.charge(charge, card);
  expectOutcome("the charge, sent again", again, "declined", "canceled");
  expectSame("its look-up", await adapter.lookUp(charge), canceled);
}

function describeOutcome(outcome: Outcome): string {
  switch (outcome.outcome) {
    case "approved":
    case "refunded":
      return `${outcome.outcome} with the reference ${JSON.stringify(outcome.reference)}`;
    case "declined":
      return `declined with ${outcome.networkCode ?? outcome.code}`;
    case "action":
      return `action with the reference ${JSON.stringify(outcome.reference)}`;
    case "processing":
      return "still processing";
    case "not_found":
      return "404, unknown";
    case "unknown":
      return outcome.reason;
    default:
      return outcome.outcome;
  }
}

/** The adapter's clock may differ. */
const marginSeconds = 3_600;

/** The calls that the promises make to an adapter's transactions. */
export function createTransactionTrial(
  settings: HttpNetworkSettings & {
    signal: AbortSignal;
    wait?: (waitMs: number) => Promise<unknown>;
  },
): Pick<Trial, "listTransactions" | "listUnauthorized"> {
  const begunAt = Math.floor(Date.now() / 1000);
  const findRange = () => ({
    from: begunAt - marginSeconds,
    to: Math.floor(Date.now() / 1000) + marginSeconds,
  });
  return {
    listTransactions: async () => {
      const source = createHttpTransactions(settings);
      const { signal, wait } = settings;
      const options = { name: "The adapter", signal, ...(wait && { wait }) };
      const transactions: NetworkTransaction[] = [];
      try {
        for await (const page of listPages(source, findRange(), options)) {
          transactions.push(...page);
        }
      } catch (error) {
        if (error instanceof NotOffered) return "not_offered";
        // After an interruption, too, the check goes on to give the money back.
        if (error instanceof Unavailable || signal.aborted) {
          throw new BrokenPromise((error as Error).message);
        }
        throw error;
      }
      return transactions;
    },
    listUnauthorized: async () =>
      Promise.all(
        [`not-${randomUUID()}`, undefined].map(async (secret) => {
          const source = createHttpTransactions({ ...settings, secret });
          const page = await source.readPage(findRange(), null);
          await source.close();
          return page;
        }),
      ),
  };
}
