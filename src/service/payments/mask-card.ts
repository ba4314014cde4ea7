import { findBrand } from "../../contract/card.ts";
import type { CardInput } from "../../contract/new-payment.ts";
import type { Card } from "../../contract/payment.ts";

/** The stored part of a card: never the number, never the security code. Only the network knows the `country`. */
export function maskCard(
  card: Pick<CardInput, "number" | "exp_month" | "exp_year">,
  country: string,
): Card {
  return {
    brand: findBrand(card.number),
    last4: card.number.slice(-4),
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    country,
  };
}
