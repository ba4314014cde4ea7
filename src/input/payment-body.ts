import type { Mode } from "../contract/key.ts";
import { testCards } from "../contract/test-cards.ts";
import { usageError } from "../exit-codes.ts";
import { readJsonObject } from "./read-input.ts";

export type PaymentFlags = {
  amount?: string | undefined;
  currency?: string | undefined;
  "test-card"?: string | undefined;
  "card-number"?: string | undefined;
  "exp-month"?: number | undefined;
  "exp-year"?: number | undefined;
  cvc?: string | undefined;
  "card-holder"?: string | undefined;
  "card-file"?: string | undefined;
  email?: string | undefined;
  "first-name"?: string | undefined;
  "last-name"?: string | undefined;
  country?: string | undefined;
  phone?: string | undefined;
  address?: string | undefined;
  city?: string | undefined;
  zip?: string | undefined;
  description?: string | undefined;
  metadata?: string[] | undefined;
  data?: string | undefined;
};

type Body = Record<string, unknown>;

/** The body of a create request, from flags and files; what the API checks is left to the API. */
export async function paymentBody(flags: PaymentFlags, mode: Mode): Promise<Body> {
  if (flags.data !== undefined) {
    const other = Object.keys(flags).find((name) => content.has(name));
    if (other) throw usageError(`--data holds the whole body, so that --${other} has no place.`);
    return await readJsonObject(flags.data, "--data");
  }
  const { amount, currency, description, metadata } = flags;
  if (amount === undefined) throw missing("--amount", "in minor units: 4999 is 49.99");
  if (currency === undefined) throw missing("--currency", "eur, usd or gbp");
  const customer = customerOf(flags);
  return {
    amount: amountMinor(amount),
    currency: currency.toLowerCase(),
    card: await cardOf(flags, mode),
    ...(customer && { customer }),
    ...(description !== undefined && { description }),
    ...(metadata && { metadata: metadataOf(metadata) }),
  };
}

const content = new Set<string>([
  "amount",
  "currency",
  "test-card",
  "card-number",
  "exp-month",
  "exp-year",
  "cvc",
  "card-holder",
  "card-file",
  "email",
  "first-name",
  "last-name",
  "country",
  "phone",
  "address",
  "city",
  "zip",
  "description",
  "metadata",
]);

/** An amount in minor units; one with a fraction is refused with what it would be in minor units. */
function amountMinor(text: string): number {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= 1) {
    return Number(text);
  }
  const [, whole, fraction] = /^(\d{1,12})[.,](\d{1,2})$/.exec(text) ?? [];
  if (whole !== undefined && fraction !== undefined) {
    const minor = Number(whole + fraction.padEnd(2, "0"));
    throw usageError(
      `--amount is in minor units, without a fraction: write ${minor}.`,
      `For ${text}: --amount ${minor}`,
    );
  }
  throw usageError(
    "--amount must be an integer in minor units, at least 1: 4999 is 49.99.",
    "For example --amount 4999 --currency eur",
  );
}

async function cardOf(flags: PaymentFlags, mode: Mode): Promise<Body> {
  const ways = (["test-card", "card-number", "card-file"] as const).filter(
    (way) => flags[way] !== undefined,
  );
  if (ways.length > 1) throw usageError(`Give the card in one way: --${ways.join(" or --")}.`);
  if (mode === "live" && (flags["card-number"] !== undefined || flags.cvc !== undefined)) {
    throw usageError(
      "A live card is not accepted on the command line, where others can see it. Nothing was sent.",
      "Use --card-file with a file only you can read, or --card-file - and standard input.",
    );
  }
  if (flags["card-file"] !== undefined) {
    const other = cardParts.find((part) => flags[part] !== undefined);
    if (other) {
      throw usageError(`--card-file holds the whole card, so that --${other} has no place.`);
    }
    return await readJsonObject(flags["card-file"], "--card-file");
  }
  const holder = flags["card-holder"];
  return {
    ...(flags["test-card"] === undefined
      ? numberedCard(flags)
      : testCard(flags["test-card"], flags)),
    ...(holder !== undefined && { holder_name: holder }),
  };
}

const cardParts = ["exp-month", "exp-year", "cvc", "card-holder"] as const;

function testCard(name: string, flags: PaymentFlags): Body {
  const card = testCards.find((known) => known.name === name);
  if (!card) throw usageError("--test-card names no test card.", "See payments test-cards.");
  return {
    number: card.number,
    exp_month: flags["exp-month"] ?? 12,
    exp_year: flags["exp-year"] ?? new Date().getUTCFullYear() + 5,
    cvc: flags.cvc ?? (card.brand === "amex" ? "1234" : "123"),
  };
}

function numberedCard(flags: PaymentFlags): Body {
  const number = flags["card-number"];
  if (number === undefined) {
    throw missing(
      "a card",
      "--test-card visa, --card-number, or --card-file; see payments test-cards",
    );
  }
  if (flags["exp-month"] === undefined) throw missing("--exp-month", "1 to 12");
  if (flags["exp-year"] === undefined) throw missing("--exp-year", "four digits");
  if (flags.cvc === undefined) throw missing("--cvc", "3 or 4 digits");
  return {
    number: number.replaceAll(/[ -]/g, ""),
    exp_month: flags["exp-month"],
    exp_year: flags["exp-year"],
    cvc: flags.cvc,
  };
}

function customerOf(flags: PaymentFlags): Body | undefined {
  const customer = {
    email: flags.email,
    first_name: flags["first-name"],
    last_name: flags["last-name"],
    country: flags.country,
    phone: flags.phone,
    address: flags.address,
    city: flags.city,
    zip: flags.zip,
  };
  const given = Object.entries(customer).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

function metadataOf(pairs: string[]): Record<string, string> {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw usageError("--metadata must be written key=value, such as order_id=1001.");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const keys = new Set(entries.map(([key]) => key));
  if (keys.size < entries.length) throw usageError("--metadata names the same key twice.");
  return Object.fromEntries(entries);
}

function missing(what: string, hint: string) {
  return usageError(`Missing ${what} (${hint}).`);
}
