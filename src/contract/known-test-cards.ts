import { findBrand, type CardBrand } from "./card.ts";
import type { DeclineCode } from "./payment-values.ts";

export type TestCard = {
  /** The value of `payments create --test-card`. */
  name: string;
  number: string;
  brand: CardBrand;
  outcome:
    | "succeeded"
    | Extract<
        DeclineCode,
        | "generic_decline"
        | "insufficient_funds"
        | "expired_card"
        | "authentication_required"
        | "processing_error"
      >;
  /** Of a refund that is not made at once: it is declined, or takes the processing time. */
  refund?: "declined" | "slow";
};

/** Their brands follow from their numbers. */
const cards: readonly Omit<TestCard, "brand">[] = [
  { name: "visa", number: "4242424242424242", outcome: "succeeded" },
  { name: "mastercard", number: "5555555555554444", outcome: "succeeded" },
  { name: "generic-decline", number: "4000000000000002", outcome: "generic_decline" },
  { name: "insufficient-funds", number: "4000000000009995", outcome: "insufficient_funds" },
  { name: "expired-card", number: "4000000000000069", outcome: "expired_card" },
  {
    name: "authentication-required",
    number: "4000002760003184",
    outcome: "authentication_required",
  },
  { name: "processing-error", number: "4000000000000119", outcome: "processing_error" },
  { name: "refund-declined", number: "4000000000005126", outcome: "succeeded", refund: "declined" },
  { name: "refund-slow", number: "4000000000007726", outcome: "succeeded", refund: "slow" },
  { name: "visa-1111", number: "4111111111111111", outcome: "succeeded" },
  { name: "amex", number: "378282246310005", outcome: "succeeded" },
  { name: "discover", number: "6011111111111117", outcome: "succeeded" },
  { name: "diners", number: "30569309025904", outcome: "succeeded" },
  { name: "jcb", number: "3530111333300000", outcome: "succeeded" },
  { name: "unionpay", number: "6200000000000005", outcome: "succeeded" },
];

/** The cards of test mode and their outcomes (specification: Test mode). */
export const testCards: readonly TestCard[] = cards.map(addBrand);

function addBrand({ name, number, ...rest }: Omit<TestCard, "brand">): TestCard {
  return { name, number, brand: findBrand(number), ...rest };
}

/**
 * No test card has expired by then, whatever the time of the service: a sandbox is moved on years beyond the clock of
 * the machine that fills in the card.
 */
const expiryYear = 2099;

/** A test card with an expiry that lies ahead and a security code of its brand, or undefined for an unknown name. */
export function fillTestCard(name: string) {
  const card = testCards.find((known) => known.name === name);
  return (
    card && {
      number: card.number,
      exp_month: 12,
      exp_year: expiryYear,
      cvc: card.brand === "amex" ? "1234" : "123",
    }
  );
}
