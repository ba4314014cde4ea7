import type { CreateHosted, CreatePayment } from "../../client/calls.ts";
import type { Mode } from "../../contract/key.ts";
import { missingValue, usageError, type Missing } from "../errors/command-error.ts";
import { parseCard, missingOfCard } from "./payment-card.ts";
import {
  isIncomplete,
  checkPaymentFlags,
  type Answers,
  type PaymentFlags,
} from "./payment-flags.ts";
import { readJsonObject } from "./read-input.ts";

/** A request to create a payment: with a card, or with a page on which the customer gives one. */
export type PaymentRequest =
  | { hosted: false; body: CreatePayment }
  | { hosted: true; body: CreateHosted };

/**
 * A create request, from flags, files and, where there is somebody to ask, answers. What the API checks
 * is left to the API: a body from a file is sent as it is, whatever it holds.
 */
export async function parsePaymentRequest(
  flags: PaymentFlags,
  mode: Mode,
  ask?: (flags: PaymentFlags) => Promise<Answers>,
): Promise<PaymentRequest> {
  checkPaymentFlags(flags, mode);
  const body =
    flags.data === undefined
      ? await bodyOf(flags, ask)
      : await readJsonObject(flags.data, "--data");
  return { hosted: flags.hosted ?? false, body } as PaymentRequest;
}

const missingAmount: Missing = ["--amount", "in minor units: 4999 is 49.99"];
const missingCurrency: Missing = ["--currency", "eur, usd or gbp"];

async function bodyOf(
  flags: PaymentFlags,
  ask?: (flags: PaymentFlags) => Promise<Answers>,
): Promise<object> {
  const { description, metadata: pairs, "return-url": returnUrl } = flags;
  const customer = customerOf(flags);
  const metadata = pairs && metadataOf(pairs);
  const file = flags["card-file"];
  const cardInFile = file === undefined ? undefined : await readJsonObject(file, "--card-file");
  const whole = ask && isIncomplete(flags) ? { ...flags, ...(await ask(flags)) } : flags;
  const { amount, currency } = whole;
  const needsCard = !flags.hosted && cardInFile === undefined;
  const unknown: Missing[] = [
    ...(amount === undefined ? [missingAmount] : []),
    ...(currency === undefined ? [missingCurrency] : []),
    ...(needsCard ? missingOfCard(whole) : []),
  ];
  if (amount === undefined || currency === undefined || unknown.length > 0)
    throw missingValue(unknown);
  return {
    amount: Number(amount),
    currency: currency.toLowerCase(),
    ...(!flags.hosted && { card: cardInFile ?? parseCard(whole) }),
    ...(customer && { customer }),
    ...(description !== undefined && { description }),
    ...(metadata && { metadata }),
    ...(returnUrl !== undefined && { return_url: returnUrl }),
  };
}

function customerOf(flags: PaymentFlags): object | undefined {
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
