import {
  listPages,
  type NetworkTransaction,
  type TransactionRange,
} from "../networks/transactions.ts";
import { describeNetwork } from "./attach-network.ts";
import type { NetworkSettings } from "./serve-settings.ts";

export type { NetworkTransaction } from "../networks/transactions.ts";

/**
 * Lists the transactions of the card network that live payments go to, page by page; only that network's modules are
 * loaded. Errors: those of `listPages`.
 */
export async function* listTransactions(
  settings: NetworkSettings,
  options: { version: string; range: TransactionRange; signal: AbortSignal },
): AsyncGenerator<NetworkTransaction[]> {
  const { version, range, signal } = options;
  const name = "stripe" in settings ? "Stripe" : `The adapter at ${describeNetwork(settings)}`;
  yield* listPages(await openSource(settings, version), range, { name, signal });
}

async function openSource(settings: NetworkSettings, version: string) {
  if ("stripe" in settings) {
    const { createStripeTransactions } = await import("../networks/stripe-transactions.ts");
    return createStripeTransactions({ ...settings.stripe, version });
  }
  const { createHttpTransactions } = await import("../networks/http-transactions.ts");
  return createHttpTransactions({ ...settings, version });
}
