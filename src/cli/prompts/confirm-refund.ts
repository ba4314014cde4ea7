import type { Payment } from "../../contract/payment.ts";
import { formatMoney } from "../../contract/money.ts";
import { type Prompter, canceled } from "./prompter.ts";

/**
 * Asks whether to refund a payment; raises a `canceled` unless the answer is yes. In live mode the
 * amount is typed: nobody refunds real money by pressing Enter.
 */
export async function confirmRefund(asker: Prompter, payment: Payment): Promise<void> {
  const amount = formatMoney(payment.amount, payment.currency);
  if (!payment.livemode) {
    if (await asker.confirm(`Refund ${amount}?`)) return;
    throw canceled("Canceled; nothing was refunded.");
  }
  const typed = await asker.text(`Live mode. Type the amount, ${amount}, to refund it:`);
  if (isTyped(amount, typed)) return;
  throw canceled(
    typed.trim() === ""
      ? "Canceled; nothing was refunded."
      : `What was typed is not the amount, ${amount}; nothing was refunded.`,
  );
}

/** As it is shown, with or without the currency. */
function isTyped(amount: string, answer: string): boolean {
  const typed = answer.trim().toUpperCase();
  return typed === amount || typed === amount.split(" ", 1)[0];
}
