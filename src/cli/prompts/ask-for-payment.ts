import { createPaymentBody } from "../../contract/payment.ts";
import type { Mode } from "../../contract/key.ts";
import { formatMoney } from "../../contract/money.ts";
import { findAmountMistake, type Answers, type PaymentFlags } from "../parse/payment-flags.ts";
import { askForCard } from "./ask-for-card.ts";
import { type Prompter, canceled } from "./prompter.ts";

type Circumstances = {
  mode: Mode;
  /** Whether the payment will be sent: with `--dry-run` it is not. */
  sends: boolean;
};

/**
 * Asks for what is missing of a payment, and in live mode whether to charge it; raises a `canceled`
 * unless the answer is yes. One that the customer pays on a page charges nothing now.
 */
export async function askForPayment(
  asker: Prompter,
  flags: PaymentFlags,
  { mode, sends }: Circumstances,
): Promise<Answers> {
  const amount = flags.amount ?? (await askForAmount(asker));
  const currency = flags.currency ?? (await askForCurrency(asker, Number(amount)));
  const price = formatMoney(Number(amount), currency);
  if (flags.amount === undefined || flags.currency === undefined) asker.tell(`Amount: ${price}`);
  if (flags.hosted) return { amount, currency };
  const card = await askForCard(asker, flags, mode);
  if (mode === "live" && sends && !(await asker.confirm(`Charge ${price} in live mode?`))) {
    throw canceled();
  }
  return { amount, currency, ...card };
}

async function askForAmount(asker: Prompter): Promise<string> {
  const typed = await asker.text("Amount in minor units (4999 is 49.99):", (text) => {
    const mistake = findAmountMistake(text.trim());
    return mistake && `The amount ${mistake.phrase}`;
  });
  return typed.trim();
}

async function askForCurrency(asker: Prompter, amountMinor: number): Promise<string> {
  const codes = createPaymentBody.shape.currency.options;
  return await asker.pick(
    "Currency:",
    codes.map((code) => ({ value: code, cells: [code, formatMoney(amountMinor, code)] })),
  );
}
