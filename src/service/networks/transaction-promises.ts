import { randomUUID } from "node:crypto";
import { Unavailable } from "../../runtime/failures.ts";
import type { Charge } from "../ports/card-network.ts";
import {
  approvedCard,
  BrokenPromise,
  chargeCard,
  expectOutcome,
  type AdapterPromise,
  type Trial,
} from "./adapter-trial.ts";
import { createHttpTransactions } from "./http-transactions.ts";
import { toSecretRefused, type HttpNetworkSettings } from "./http-network.ts";
import { listPages, NotOffered, type NetworkTransaction } from "./transactions.ts";

/** The adapter's clock may differ. */
const marginSeconds = 3_600;

/** The promises of an adapter about its transactions, which it need not offer. */
export const transactionPromises: readonly AdapterPromise[] = [
  [
    "the transactions have each charge once, and each refund once",
    async (trial) => {
      const { charge: charged } = await chargeCard(trial, approvedCard, "approved");
      const { charge: refunded } = await chargeCard(trial, approvedCard, "approved");
      expectOutcome("the refund", await trial.adapter.refund(refunded), "refunded");
      trial.isRefunded(refunded);
      const found = await trial.listTransactions();
      if (found === "not_offered") return "not offered";
      expectTransactions("a charge", charged, found, ["charge"]);
      expectTransactions("a refunded charge", refunded, found, ["charge", "refund"]);
      return undefined;
    },
  ],
  [
    "the transactions are refused with 401 to a wrong secret, and without one",
    async (trial) => {
      for (const page of await trial.listUnauthorized()) {
        if (page.outcome === "not_offered") return "not offered";
        const answer = page.outcome === "unknown" ? page.reason : page.outcome;
        const expected = toSecretRefused(401).reason;
        if (answer !== expected) throw new BrokenPromise(`${answer}, instead of: ${expected}`);
      }
      return undefined;
    },
  ],
];

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

function expectTransactions(
  step: string,
  { id, amount, currency }: Charge,
  found: NetworkTransaction[],
  expected: string[],
): void {
  const own = found.filter(({ payment }) => payment === id);
  const types = own.map(({ type }) => type).toSorted();
  if (types.join() !== expected.join()) {
    const have = types.length === 0 ? "nothing" : types.join(", ");
    throw new BrokenPromise(
      `${step}: the transactions have ${have}, instead of ${expected.join(", ")}`,
    );
  }
  if (own.some((one) => one.amount !== amount || one.currency !== currency)) {
    throw new BrokenPromise(`${step}: the transactions have another amount or currency`);
  }
}
