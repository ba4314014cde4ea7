import { setTimeout as delay } from "node:timers/promises";
import { computeBackoff } from "../../runtime/time.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type { Unknown } from "./card-network.ts";

/** Money that a network says it moved. `amount` is in minor units, without a sign; `created` in Unix seconds. */
export type NetworkTransaction = {
  /** The payment's id; empty where the network names none. */
  payment: string;
  /** The protocol's word, or one of Stripe's reporting categories. */
  type: string;
  amount: number;
  currency: string;
  created: number;
};

/** In Unix seconds; `to` is excluded. */
export type TransactionRange = { from: number; to: number };

type TransactionPage = {
  outcome: "listed";
  transactions: NetworkTransaction[];
  /** The start of the next page; null on the last one. */
  next: string | null;
};
export type PageOutcome = TransactionPage | Unknown | { outcome: "not_offered"; status: number };

/** A network's list of transactions, page by page. No promise rejects. */
export type TransactionSource = {
  readPage: (range: TransactionRange, cursor: string | null) => Promise<PageOutcome>;
  close: () => Promise<void>;
};

/** The network has no list of transactions, which it need not offer. */
export class NotOffered extends Unavailable {
  override name = "NotOffered";
}

type ListOptions = {
  /** The request, in a sentence. */
  name: string;
  signal: AbortSignal;
  /** Waits before a retry. */
  wait?: (waitMs: number) => Promise<unknown>;
};

const maxPages = 100_000;
const maxRetries = 3;
const backoff = { minMs: 500, maxMs: 5_000, jitter: 0.5 };

/**
 * Reads all pages of a network's transactions, and closes the source at the end. A page that fails is requested again.
 * Errors: NotOffered; Unavailable, where the network refuses the secret, or goes on failing.
 */
export async function* listPages(
  source: TransactionSource,
  range: TransactionRange,
  { name, signal, wait = delay }: ListOptions,
): AsyncGenerator<NetworkTransaction[]> {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const abort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  try {
    let cursor: string | null = null;
    for (let page = 0; page < maxPages; page++) {
      signal.throwIfAborted();
      const { transactions, next }: TransactionPage = await Promise.race([
        readWithRetries(source, range, cursor, { name, signal, wait }),
        aborted.promise,
      ]);
      yield transactions;
      if (next === null) return;
      if (next === cursor) throw new Unavailable(`${name} gives the same page again.`);
      cursor = next;
    }
    throw new Unavailable(`${name} has more than ${maxPages} pages of transactions.`);
  } finally {
    signal.removeEventListener("abort", abort);
    await source.close();
  }
}

async function readWithRetries(
  source: TransactionSource,
  range: TransactionRange,
  cursor: string | null,
  { name, signal, wait }: Required<ListOptions>,
): Promise<TransactionPage> {
  for (let attempt = 0; ; attempt++) {
    const page = await source.readPage(range, cursor);
    switch (page.outcome) {
      case "listed":
        return page;
      case "not_offered":
        throw new NotOffered(`${name} does not offer its transactions (HTTP ${page.status}).`, {
          hint: "Compare with a file instead: --report FILE.",
        });
      default: {
        const isHopeless = page.isRefused || page.isInvalid || signal.aborted;
        if (isHopeless || attempt === maxRetries) {
          throw new Unavailable(`${name} gives no transactions: ${page.reason}.`);
        }
        await wait(computeBackoff(attempt, backoff));
      }
    }
  }
}
