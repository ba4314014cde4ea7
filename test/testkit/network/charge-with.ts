import { randomUUID } from "node:crypto";
import type { CardInput } from "../../../src/contract/payment.ts";
import type { Charge } from "../../../src/service/networks/card-network.ts";

/** Builds a charge, with a new id unless it is given. */
export function chargeWith(fields: Partial<Charge> = {}): Charge {
  return {
    id: `pay_${randomUUID()}`,
    accountId: "acct_1",
    amount: 4999,
    currency: "eur",
    description: null,
    customer: null,
    returnUrl: null,
    reference: null,
    begunAtMs: Date.now(),
    ...fields,
  };
}

/** Builds a card that is approved and expires late. */
export function cardWith(fields: Partial<CardInput> = {}): CardInput {
  return { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "987", ...fields };
}
