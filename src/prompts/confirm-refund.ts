import type { Payment } from "../contract/payment.ts";
import { money } from "../output/format.ts";
import type { Asker } from "./asker.ts";
import { canceled } from "./canceled.ts";

/**
 * Asks whether to refund a payment; raises a `canceled` unless the answer is yes. In live mode the
 * amount is typed: nobody refunds real money by pressing Enter.
 */
export async function confirmRefund(asker: Asker, payment: Payment): Promise<void> {
  const amount = money(payment.amount, payment.currency);
  const yes = payment.livemode
    ? isTyped(amount, await asker.text(`Live mode. Type the amount, ${amount}, to refund it:`))
    : await asker.confirm(`Refund ${amount}?`);
  if (!yes) throw canceled("Canceled; nothing was refunded.");
}

/** As it is shown, with or without the currency. */
function isTyped(amount: string, answer: string): boolean {
  const typed = answer.trim().toUpperCase();
  return typed === amount || typed === amount.split(" ", 1)[0];
}
