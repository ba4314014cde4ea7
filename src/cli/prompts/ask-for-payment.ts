import { createPaymentBody } from "../../contract/payment.ts";
import type { Mode } from "../../contract/key.ts";
import { formatMoney } from "../../contract/money.ts";
import type { Answers, PaymentFlags } from "../parse/payment-flags.ts";
import { findAmountMistake } from "../parse/payment-request.ts";
import { askForCard } from "./ask-for-card.ts";
import { type Prompter, canceled } from "./prompter.ts";

/**
 * Asks for the missing values of a payment, and in live mode whether to charge it. Errors: `canceled`, unless
 * the answer is yes. A payment page, or a request that is not sent, charges nothing and needs no answer.
 */
export async function askForPayment(
  prompter: Prompter,
  flags: PaymentFlags,
  { mode, sends }: { mode: Mode; sends: boolean },
): Promise<Answers> {
  const amount = flags.amount ?? (await askForAmount(prompter));
  const currency = flags.currency ?? (await askForCurrency(prompter, Number(amount)));
  const price = formatMoney(Number(amount), currency);
  if (flags.amount === undefined || flags.currency === undefined)
    prompter.print(`Amount: ${price}`);
  if (flags.hosted) return { amount, currency };
  const card = await askForCard(prompter, flags, mode);
  if (mode === "live" && sends && !(await prompter.confirm(`Charge ${price} in live mode?`))) {
    throw canceled();
  }
  return { amount, currency, ...card };
}

async function askForAmount(prompter: Prompter): Promise<string> {
  const typed = await prompter.text("Amount in minor units (4999 is 49.99):", (text) => {
    const mistake = findAmountMistake(text.trim());
    return mistake && `The amount ${mistake.phrase}`;
  });
  return typed.trim();
}

async function askForCurrency(prompter: Prompter, amountMinor: number): Promise<string> {
  const codes = createPaymentBody.shape.currency.options;
  return await prompter.pick(
    "Currency:",
    codes.map((code) => ({ value: code, cells: [code, formatMoney(amountMinor, code)] })),
  );
}
