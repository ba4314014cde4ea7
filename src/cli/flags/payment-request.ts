import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import type { CreateHosted, CreatePayment } from "../../client/calls.ts";
import { containsCardNumber } from "../../contract/card-in-text.ts";
import { maxPageSeconds, minPageSeconds, type Mode } from "../../contract/field-values.ts";
import { fillTestCard, testCards } from "../../contract/card.ts";
import { type Missing, missingValue, usageError } from "../output/command-error.ts";
import { stripSeparators } from "./checked-values.ts";
import { parseDuration } from "./waiting.ts";
import { integerFlag, switchFlag, textFlag } from "./flags.ts";
import { readJsonObject } from "./read-input.ts";

const ofCard = { helpGroup: "CARD" };

const ofCustomer = { helpGroup: "CUSTOMER" };

const page = { helpGroup: "PAGE" };

const ofPage = { dependsOn: ["hosted"], ...page };

const customerFlags = {
  email: textFlag("E-mail address.", "<text>", ofCustomer),
  "first-name": textFlag("First name.", "<text>", ofCustomer),
  "last-name": textFlag("Last name.", "<text>", ofCustomer),
  country: textFlag("Country code of two letters.", "<text>", ofCustomer),
  phone: textFlag("Phone number.", "<text>", ofCustomer),
  address: textFlag("Street and number.", "<text>", ofCustomer),
  city: textFlag("City.", "<text>", ofCustomer),
  zip: textFlag("Postal code.", "<text>", ofCustomer),
};

/** The parts of a request to create a payment; `payments trigger` has some of them too. */
export const paymentFlags = {
  amount: textFlag("Amount in minor units: 4999 is 49.99.", "<minor units>"),
  currency: textFlag("The currency, in small or capital letters.", "<code>"),
  "test-card": Flags.string({
    summary: "A test card by name (see payments test-cards).",
    options: testCards.map(({ name }) => name),
    helpValue: "<name>",
    ...ofCard,
  }),
  "card-number": textFlag("The card's number. Test mode only.", "<digits>", ofCard),
  "exp-month": integerFlag("1 to 12.", "<month>", ofCard),
  "exp-year": integerFlag("Four digits.", "<year>", ofCard),
  cvc: textFlag("The card's security code. Test mode only.", "<digits>", ofCard),
  "card-holder": textFlag("Name on the card.", "<name>", ofCard),
  "card-file": textFlag(
    "The card as JSON, as in the API; `-` is standard input.",
    "<path>",
    ofCard,
  ),
  ...customerFlags,
  description: textFlag("What the payment is for.", "<text>"),
  metadata: Flags.string({
    summary: "Metadata to store with the payment. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<key=value>",
  }),
  data: textFlag("The whole body as JSON; `-` is standard input.", "<path>"),
  hosted: switchFlag("Let the customer pay on a page of a running service.", page),
  "return-url": textFlag(
    "Where the page leads back to; payment_id and status are added.",
    "<url>",
    ofPage,
  ),
  "expires-in": textFlag(
    "How long the page can be paid: 5m to 30d. Default: as the service was started.",
    "<duration>",
    ofPage,
  ),
};

export type PaymentFlags = Partial<InferredFlags<typeof paymentFlags>>;

/** The values that prompts can ask for if they are missing. */
export type Answers = Pick<
  PaymentFlags,
  "amount" | "currency" | "test-card" | "card-number" | "exp-month" | "exp-year" | "cvc"
>;

/** Actions on a payment's page as soon as it exists. */
export const hostedFlags = {
  open: switchFlag("Open the page in the browser.", ofPage),
  "print-url": switchFlag(
    "Write the page's address to standard error at once, also with --json.",
    ofPage,
  ),
};

/** Waiting for a payment's outcome. */
export const waitFlags = (timeoutSummary: string) => ({
  wait: switchFlag("Wait until the payment is no longer pending."),
  expect: textFlag("Wait, and exit with 0 only if this is the outcome.", "<outcome>"),
  timeout: textFlag(timeoutSummary, "<duration>", {
    relationships: [{ type: "some", flags: ["wait", "expect"] }],
  }),
});

/** The customer's decision where the bank asks for a confirmation. */
export const challengeFlag = {
  challenge: Flags.option({
    summary: "The customer's decision when the bank asks for a confirmation.",
    options: ["approve", "decline"] as const,
    default: "approve",
    helpValue: "<decision>",
  })(),
};

/** A request to create a payment: with a card, or with a page on which the customer enters one. */
export type PaymentRequest =
  | { hosted: false; body: CreatePayment }
  | { hosted: true; body: CreateHosted };

/**
 * Builds a create request from flags, files and answers to prompts. It leaves checks to the API, and sends a
 * body from a file as it is.
 */
export async function parsePaymentRequest(
  flags: PaymentFlags,
  mode: Mode,
  ask?: (flags: PaymentFlags) => Promise<Answers>,
): Promise<PaymentRequest> {
  refuseContradictions(flags, mode);
  const body =
    flags.data === undefined
      ? await buildBody(flags, ask)
      : await readJsonObject(flags.data, "--data");
  return { hosted: flags.hosted ?? false, body } as PaymentRequest;
}

export const cardSources = ["test-card", "card-number", "card-file"] as const;

const cardParts = ["exp-month", "exp-year", "cvc", "card-holder"] as const;

const customerFields = Object.keys(customerFlags) as (keyof typeof customerFlags)[];

/** Refuses flags that contradict each other, or are wrong regardless of what the prompts will ask. */
function refuseContradictions(flags: PaymentFlags, mode: Mode): void {
  const findGiven = (names: readonly (keyof PaymentFlags)[]) =>
    names.find((name) => flags[name] !== undefined);
  const { data: _, hosted: __, ...bodyFlags } = paymentFlags;
  const bodyFlag = findGiven(Object.keys(bodyFlags) as (keyof PaymentFlags)[]);
  if (flags.data !== undefined && bodyFlag !== undefined) {
    throw usageError(`--data already holds the whole body: leave --${bodyFlag} out.`);
  }
  const cardFlag = findGiven([...cardSources, ...cardParts]);
  if (flags.hosted && cardFlag !== undefined) {
    throw usageError(`The customer enters the card on the page: leave --${cardFlag} out.`);
  }
  const sources = cardSources.filter((name) => flags[name] !== undefined);
  if (sources.length > 1) {
    throw usageError(`Give the card in one way: --${sources.join(" or --")}.`);
  }
  if (mode === "live" && (flags["card-number"] !== undefined || flags.cvc !== undefined)) {
    throw usageError(
      "A live card is not accepted on the command line, where others can see it. Nothing was sent.",
      "Use --card-file with a file only you can read, or --card-file - and standard input.",
    );
  }
  const part = findGiven(cardParts);
  if (flags["card-file"] !== undefined && part !== undefined) {
    throw usageError(`--card-file already holds the whole card: leave --${part} out.`);
  }
  if (flags["expires-in"] !== undefined) parsePageSeconds(flags["expires-in"]);
  const mistake = flags.amount === undefined ? undefined : findAmountMistake(flags.amount);
  if (mistake) throw usageError(`--amount ${mistake.phrase}`, mistake.hint);
}

async function buildBody(
  flags: PaymentFlags,
  ask?: (flags: PaymentFlags) => Promise<Answers>,
): Promise<object> {
  const { description, metadata: pairs, "return-url": returnUrl, "expires-in": expiresIn } = flags;
  const metadata = pairs && parseMetadata(pairs);
  const file = flags["card-file"];
  const cardInFile = file === undefined ? undefined : await readJsonObject(file, "--card-file");
  const isIncomplete = listMissing(flags).length > 0;
  const all = ask && isIncomplete ? { ...flags, ...(await ask(flags)) } : flags;
  const { amount, currency } = all;
  const missing = listMissing(all);
  if (amount === undefined || currency === undefined || missing.length > 0) {
    throw missingValue(missing);
  }
  const customer = customerFields.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [[name.replace("-", "_"), value]];
  });
  return {
    amount: Number(amount),
    currency: currency.toLowerCase(),
    ...(!flags.hosted && { card: cardInFile ?? parseCard(all) }),
    ...(customer.length > 0 && { customer: Object.fromEntries(customer) }),
    ...(description !== undefined && { description }),
    ...(metadata && { metadata }),
    ...(returnUrl !== undefined && { return_url: returnUrl }),
    ...(expiresIn !== undefined && { expires_in: parsePageSeconds(expiresIn) }),
  };
}

function parsePageSeconds(text: string): number {
  const seconds = parseDuration(text, "--expires-in") / 1_000;
  const isValid = seconds >= minPageSeconds && seconds <= maxPageSeconds;
  if (isValid && Number.isInteger(seconds)) return seconds;
  throw usageError("--expires-in must be whole seconds, from 5m to 30d.");
}

const needed = [
  ["amount", "in minor units: 4999 is 49.99"],
  ["currency", "eur, usd or gbp"],
] as const;

const neededOfCard = [
  ["exp-month", "1 to 12"],
  ["exp-year", "four digits"],
  ["cvc", "3 or 4 digits"],
] as const;

/** Lists the missing values of a request, with hints how to give them. */
function listMissing(flags: PaymentFlags): Missing[] {
  const isTyped = flags["card-number"] !== undefined;
  const missing = [...needed, ...(isTyped ? neededOfCard : [])]
    .filter(([name]) => flags[name] === undefined)
    .map(([name, hint]): Missing => [`--${name}`, hint]);
  if (flags.hosted || cardSources.some((name) => flags[name] !== undefined)) return missing;
  const hint = "--test-card visa, --card-number, or --card-file; see payments test-cards";
  return [...missing, ["a card", hint]];
}

/** Builds the card of a request from complete flags. */
function parseCard(flags: PaymentFlags): Record<string, unknown> {
  const { "test-card": name, "card-number": number = "", "card-holder": holder } = flags;
  const card = name === undefined ? { number: stripSeparators(number) } : fillTestCard(name);
  if (!card) throw usageError("--test-card names no test card.", "See payments test-cards.");
  return {
    ...card,
    ...(flags["exp-month"] !== undefined && { exp_month: flags["exp-month"] }),
    ...(flags["exp-year"] !== undefined && { exp_year: flags["exp-year"] }),
    ...(flags.cvc !== undefined && { cvc: flags.cvc }),
    ...(holder !== undefined && { holder_name: holder }),
  };
}

export function parseMetadata(pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw usageError("--metadata must be written key=value, such as order_id=1001.");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const keys = new Set(entries.map(([key]) => key));
  if (keys.size < entries.length) throw usageError("--metadata names the same key twice.");
  return Object.fromEntries(entries);
}

const exampleAmount = "For example --amount 4999 --currency eur";

/** Finds the mistake in an amount in minor units; for a fraction the hint is the amount to write instead. */
export function findAmountMistake(text: string): { phrase: string; hint: string } | undefined {
  if (containsCardNumber(text.replaceAll(/\D/g, ""))) {
    return { phrase: "must not be a card number.", hint: exampleAmount };
  }
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
    hint: exampleAmount,
  };
}
