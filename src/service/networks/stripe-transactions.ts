import * as z from "zod";
import { reference } from "./http-answers.ts";
import { callStripe } from "./stripe-failures.ts";
import { createStripeRequests, type StripeSettings } from "./stripe-requests.ts";
import type { NetworkTransaction, PageOutcome, TransactionSource } from "./transactions.ts";

const metadata = z.object({ payment_id: z.string().max(255).default("") }).nullish();

/**
 * The source of a balance transaction: a charge, a refund or a dispute, whose intent is expanded; or something else.
 */
const source = z.object({
  amount: z.number().optional(),
  currency: z.string().optional(),
  metadata,
  payment_intent: z.object({ metadata }).nullish().catch(null),
});
const balanceTransaction = z.object({
  id: reference,
  amount: z.number(),
  currency: z.string(),
  created: z.int(),
  reporting_category: z.string(),
  source: source.nullish().catch(null),
});
const listed = z.object({ data: z.array(balanceTransaction), has_more: z.boolean() });

/** The balance transactions of the operator's Stripe account. */
export function createStripeTransactions(settings: StripeSettings): TransactionSource {
  const stripe = createStripeRequests(settings);
  return {
    readPage: async (range, cursor): Promise<PageOutcome> =>
      callStripe<PageOutcome>(async () => {
        const { data, has_more: hasMore } = listed.parse(
          await stripe.listBalanceTransactions(range, cursor),
        );
        const next = hasMore ? (data.at(-1)?.id ?? null) : null;
        return { outcome: "listed", transactions: data.map(toTransaction), next };
      }),
    close: async () => stripe.close(),
  };
}

/**
 * The balance has the account's currency, in which a charge of another one arrives converted: what the customer paid is
 * the source's.
 */
function toTransaction(transaction: z.infer<typeof balanceTransaction>): NetworkTransaction {
  const { source: about, created, reporting_category: type } = transaction;
  const { amount, currency } = { ...transaction, ...withoutUndefined(about) };
  const payment = about?.payment_intent?.metadata?.payment_id || about?.metadata?.payment_id || "";
  return { payment, type, amount: Math.abs(amount), currency, created };
}

function withoutUndefined(about: z.infer<typeof source> | null | undefined) {
  const { amount, currency } = about ?? {};
  return amount !== undefined && currency !== undefined ? { amount, currency } : {};
}
