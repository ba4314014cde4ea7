import { createPaymentBody } from "../../contract/payment.ts";
import type { Mode } from "../../contract/field-values.ts";
import { formatMoney } from "../../contract/money.ts";
import { type Answers, type PaymentFlags, findAmountMistake } from "../flags/payment-request.ts";
import { stripSeparators } from "../flags/checked-values.ts";
import { type Prompter, canceled } from "./prompter.ts";
import { isExpired, isLuhnValid, parseExpiry, testCards } from "../../contract/card.ts";

/**
 * Asks for the missing values of a payment, and in live mode whether to charge it. Errors: `canceled`, unless
 * the answer is yes. A payment page, or a request that is not sent, charges nothing and needs no answer.
 */
export async function askForPayment(
  prompter: Prompter,
  flags: PaymentFlags,
  { mode, sends, place = "live mode" }: { mode: Mode; sends: boolean; place?: string | undefined },
): Promise<Answers> {
  const amount = flags.amount ?? (await askForAmount(prompter));
  const currency = flags.currency ?? (await askForCurrency(prompter, Number(amount)));
  const price = formatMoney(Number(amount), currency);
  if (flags.amount === undefined || flags.currency === undefined)
    prompter.print(`Amount: ${price}`);
  if (flags.hosted) return { amount, currency };
  const card = await askForCard(prompter, flags, mode);
  if (mode === "live" && sends && !(await prompter.confirm(`Charge ${price} in ${place}?`))) {
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

const rules = createPaymentBody.shape.card.shape;

/**
 * Asks for the missing values of a card. In test mode the user may pick a test card. The terminal never
 * shows a number or a security code.
 */
export async function askForCard(
  prompter: Prompter,
  flags: PaymentFlags,
  mode: Mode,
): Promise<Answers> {
  if (flags["test-card"] !== undefined || flags["card-file"] !== undefined) return {};
  if (mode === "test" && flags["card-number"] === undefined) {
    const cards = testCards.map(({ name, brand, outcome }) => ({
      value: name,
      cells: [name, brand, outcome],
    }));
    const other = { value: undefined, cells: ["another card", "", "you type its number"] };
    const name = await prompter.pick<string | undefined>("Test card:", [...cards, other]);
    if (name !== undefined) return { "test-card": name };
  }
  return {
    "card-number":
      flags["card-number"] ?? (await prompter.hidden("Card number:", findNumberMistake)),
    ...(await askForExpiry(prompter, flags, mode)),
    cvc: flags.cvc ?? (await prompter.hidden("Security code:", findCodeMistake)),
  };
}

function findNumberMistake(typed: string): string | undefined {
  const number = stripSeparators(typed);
  const mistake = describeIssue("The number", rules.number.safeParse(number));
  if (mistake !== undefined || isLuhnValid(number)) return mistake;
  return "The number's check digit does not match: look for a typing mistake.";
}

function findCodeMistake(typed: string): string | undefined {
  return describeIssue("The security code", rules.cvc.safeParse(typed));
}

/** Asks for month and year at once, or for the missing one. */
async function askForExpiry(prompter: Prompter, flags: PaymentFlags, mode: Mode): Promise<Answers> {
  const { "exp-month": month, "exp-year": year } = flags;
  if (month !== undefined && year !== undefined) return {};
  const question =
    month !== undefined
      ? "Year of expiry (YY):"
      : year !== undefined
        ? "Month of expiry (MM):"
        : "Expiry (MM/YY):";
  const parse = (typed: string) => {
    const text = [month, typed, year].filter((part) => part !== undefined).join("/");
    return parseExpiry(text, Date.now());
  };
  const expiry = parse(
    await prompter.text(question, (typed) => findExpiryMistake(parse(typed), mode)),
  );
  return expiry ? { "exp-month": expiry.exp_month, "exp-year": expiry.exp_year } : {};
}

/** In test mode an expired card is a case to try, and a sandbox has a clock of its own. */
function findExpiryMistake(expiry: ReturnType<typeof parseExpiry>, mode: Mode): string | undefined {
  if (!expiry) return "The expiry is written MM/YY or MM/YYYY, such as 12/30.";
  const mistake = describeIssue("The month", rules.exp_month.safeParse(expiry.exp_month));
  if (mistake !== undefined || mode === "test") return mistake;
  return isExpired(expiry, Date.now() / 1000) ? "This card has expired." : undefined;
}

type Checked = { success: boolean; error?: { issues: { message: string }[] } | undefined };

function describeIssue(what: string, { success, error }: Checked): string | undefined {
  return success ? undefined : `${what} ${error?.issues[0]?.message}.`;
}
