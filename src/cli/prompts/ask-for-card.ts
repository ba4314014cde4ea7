import type { Mode } from "../../contract/key.ts";
import { createPaymentBody } from "../../contract/payment.ts";
import { testCards } from "../../contract/known-test-cards.ts";
import { isExpired, isLuhnValid, parseExpiry } from "../../contract/card.ts";
import { stripSeparators } from "../parse/payment-card.ts";
import type { Answers, PaymentFlags } from "../parse/payment-flags.ts";
import type { Prompter } from "./prompter.ts";

const rules = createPaymentBody.shape.card.shape;

/**
 * Asks for what is missing of a card. In test mode it may be picked among the test cards; a number
 * and a security code are never shown.
 */
export async function askForCard(
  asker: Prompter,
  flags: PaymentFlags,
  mode: Mode,
): Promise<Answers> {
  if (flags["test-card"] !== undefined || flags["card-file"] !== undefined) return {};
  if (mode === "test" && flags["card-number"] === undefined) {
    const name = await pickTestCard(asker);
    if (name !== undefined) return { "test-card": name };
  }
  return {
    "card-number": flags["card-number"] ?? (await asker.hidden("Card number:", numberMistake)),
    ...(await askForExpiry(asker, flags)),
    cvc: flags.cvc ?? (await asker.hidden("Security code:", codeMistake)),
  };
}

async function pickTestCard(asker: Prompter): Promise<string | undefined> {
  const cards = testCards.map(({ name, brand, outcome }) => ({
    value: name,
    cells: [name, brand, outcome],
  }));
  return await asker.pick<string | undefined>("Test card:", [
    ...cards,
    { value: undefined, cells: ["another card", "", "you type its number"] },
  ]);
}

function numberMistake(typed: string): string | undefined {
  const number = stripSeparators(typed);
  const mistake = mistakeIn("The number", rules.number.safeParse(number));
  if (mistake !== undefined || isLuhnValid(number)) return mistake;
  return "The number's check digit does not match: look for a typing mistake.";
}

function codeMistake(typed: string): string | undefined {
  return mistakeIn("The security code", rules.cvc.safeParse(typed));
}

type Expiry = { "exp-month": number; "exp-year": number };

/** Month and year at once, or the one that is missing. */
async function askForExpiry(asker: Prompter, flags: PaymentFlags): Promise<Expiry | Answers> {
  const { "exp-month": month, "exp-year": year } = flags;
  if (month !== undefined && year !== undefined) return {};
  const { question, written } = expiryQuestion(month, year);
  const typed = await asker.text(question, (text) => expiryMistake(expiryIn(written(text))));
  return expiryIn(written(typed)) ?? {};
}

/** A question, and its answer as a whole expiry: what is known takes its place in it. */
function expiryQuestion(month: number | undefined, year: number | undefined) {
  if (month !== undefined) {
    return { question: "Year of expiry (YY):", written: (typed: string) => `${month}/${typed}` };
  }
  if (year !== undefined) {
    return { question: "Month of expiry (MM):", written: (typed: string) => `${typed}/${year}` };
  }
  return { question: "Expiry (MM/YY):", written: (typed: string) => typed };
}

function expiryIn(text: string): Expiry | undefined {
  const expiry = parseExpiry(text, Date.now());
  return expiry && { "exp-month": expiry.exp_month, "exp-year": expiry.exp_year };
}

function expiryMistake(expiry: Expiry | undefined): string | undefined {
  if (!expiry) return "The expiry is written MM/YY or MM/YYYY, such as 12/30.";
  const { "exp-month": exp_month, "exp-year": exp_year } = expiry;
  const mistake = mistakeIn("The month", rules.exp_month.safeParse(exp_month));
  if (mistake !== undefined || !isExpired({ exp_month, exp_year }, Date.now() / 1000)) {
    return mistake;
  }
  return "This card has expired.";
}

type Checked = { success: boolean; error?: { issues: { message: string }[] } | undefined };

function mistakeIn(what: string, { success, error }: Checked): string | undefined {
  return success ? undefined : `${what} ${error?.issues[0]?.message}.`;
}
