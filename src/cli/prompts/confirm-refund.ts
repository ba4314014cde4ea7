import type { Payment } from "../../contract/payment.ts";
import { formatMoney } from "../../contract/money.ts";
import { type Prompter, canceled } from "./prompter.ts";

/**
 * Asks whether to refund a payment. Errors: `canceled`, unless the answer is yes. In live mode the user types
 * the amount, so that no slip of a key refunds real money.
 */
export async function confirmRefund(prompter: Prompter, payment: Payment): Promise<void> {
  const amount = formatMoney(payment.amount, payment.currency);
  if (!payment.livemode) {
    if (await prompter.confirm(`Refund ${amount}?`)) return;
    throw canceled("Canceled; nothing was refunded.");
  }
  const typed = await prompter.text(`Live mode. Type the amount, ${amount}, to refund it:`);
  const answer = typed.trim().toUpperCase();
  if (answer === amount || answer === amount.split(" ", 1)[0]) return;
  throw canceled(
    answer === ""
      ? "Canceled; nothing was refunded."
      : `The typed amount is not ${amount}; nothing was refunded.`,
  );
}
