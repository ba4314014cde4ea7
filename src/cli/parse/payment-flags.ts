import type { Mode } from "../../contract/key.ts";
import { usageError } from "../errors/command-error.ts";

const cardParts = ["exp-month", "exp-year", "cvc", "card-holder"] as const;
const waysToGiveACard = ["test-card", "card-number", "card-file"] as const;
const texts = [
  "amount",
  "currency",
  ...waysToGiveACard,
  "cvc",
  "card-holder",
  "email",
  "first-name",
  "last-name",
  "country",
  "phone",
  "address",
  "city",
  "zip",
  "description",
  "return-url",
] as const;
const others = ["exp-month", "exp-year", "metadata"] as const;

/** The flags that a payment is made from. */
export type PaymentFlags = { [name in (typeof texts)[number]]?: string | undefined } & {
  "exp-month"?: number | undefined;
  "exp-year"?: number | undefined;
  metadata?: string[] | undefined;
  data?: string | undefined;
  /** The customer gives the card, on a page. */
  hosted?: boolean | undefined;
};

/** What may be missing, and somebody can be asked for. */
export type Answers = Pick<
  PaymentFlags,
  "amount" | "currency" | "test-card" | "card-number" | "exp-month" | "exp-year" | "cvc"
>;

/** Whether there is anything to ask for. */
export function isIncomplete(flags: PaymentFlags): boolean {
  if (flags.amount === undefined || flags.currency === undefined) return true;
  if (flags.hosted) return false;
  if (flags["test-card"] !== undefined || flags["card-file"] !== undefined) return false;
  const parts = ["card-number", "exp-month", "exp-year", "cvc"] as const;
  return parts.some((part) => flags[part] === undefined);
}

/** Refuses what contradicts itself, or is wrong whatever else will be said. */
export function checkPaymentFlags(flags: PaymentFlags, mode: Mode): void {
  const given = [...texts, ...others].filter((name) => flags[name] !== undefined);
  if (flags.data !== undefined && given.length > 0) {
    throw usageError(`--data already holds the whole body: leave --${given[0]} out.`);
  }
  refuseCardOfPage(flags);
  const ways = waysToGiveACard.filter((way) => flags[way] !== undefined);
  if (ways.length > 1) throw usageError(`Give the card in one way: --${ways.join(" or --")}.`);
  if (mode === "live" && (flags["card-number"] !== undefined || flags.cvc !== undefined)) {
    throw usageError(
      "A live card is not accepted on the command line, where others can see it. Nothing was sent.",
      "Use --card-file with a file only you can read, or --card-file - and standard input.",
    );
  }
  const part = cardParts.find((name) => flags[name] !== undefined);
  if (flags["card-file"] !== undefined && part !== undefined) {
    throw usageError(`--card-file already holds the whole card: leave --${part} out.`);
  }
  const mistake = flags.amount === undefined ? undefined : findAmountMistake(flags.amount);
  if (mistake) throw usageError(`--amount ${mistake.phrase}`, mistake.hint);
}

/** Who pays on a page gives the card there. */
function refuseCardOfPage(flags: PaymentFlags): void {
  if (!flags.hosted) return;
  const given = [...waysToGiveACard, ...cardParts].find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw usageError(`With --hosted the customer enters the card on the page: leave --${given} out.`);
}

/** What is wrong with an amount in minor units; one with a fraction has a hint what to write. */
export function findAmountMistake(text: string): { phrase: string; hint: string } | undefined {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= 1) {
    return undefined;
  }
  const [, whole, fraction] = /^(\d{1,12})[.,](\d{1,2})$/.exec(text) ?? [];
  if (whole !== undefined && fraction !== undefined) {
    const minor = Number(whole + fraction.padEnd(2, "0"));
    return {
      phrase: `is in minor units, without a fraction: write ${minor}.`,
      hint: `For ${text}: --amount ${minor}`,
    };
  }
  const bound = Number(text) > Number.MAX_SAFE_INTEGER ? "at most 2^53 - 1" : "at least 1";
  return {
    phrase: `must be an integer in minor units, ${bound}: 4999 is 49.99.`,
    hint: "For example --amount 4999 --currency eur",
  };
}
