import type { CardInput } from "../../../src/contract/payment.ts";
import type { ChargeOutcome, LocalNetwork } from "../../../src/service/networks/card-network.ts";
import { cardWith, chargeWith } from "./fake-network.ts";

/** The time of every test whose outcome depends on a card's expiry. */
const nowMs = Date.UTC(2026, 10, 15, 12);

const unexpired = { exp_month: 11, exp_year: 2026 };
export const expired = { exp_month: 10, exp_year: 2026 };

type Fate =
  | "approved"
  | "generic_decline"
  | "insufficient_funds"
  | "expired_card"
  | "processing_error";
type Row = {
  card: string;
  number: string;
  exp_month: number;
  exp_year: number;
  test: Fate | "test_mode_live_card";
  live: Fate;
};

/** The published cards, and the outcome of each while it has not expired. */
const published: [card: string, number: string, fate: Fate][] = [
  ["Visa", "4242424242424242", "approved"],
  ["Mastercard", "5555555555554444", "approved"],
  ["generic decline", "4000000000000002", "generic_decline"],
  ["insufficient funds", "4000000000009995", "insufficient_funds"],
  ["expired card", "4000000000000069", "expired_card"],
  ["processing error", "4000000000000119", "processing_error"],
  ["refund declined", "4000000000005126", "approved"],
  ["refund slow", "4000000000007726", "approved"],
  ["another Visa", "4111111111111111", "approved"],
  ["Amex", "378282246310005", "approved"],
  ["Discover", "6011111111111117", "approved"],
  ["Diners", "30569309025904", "approved"],
  ["JCB", "3530111333300000", "approved"],
  ["UnionPay", "6200000000000005", "approved"],
];
const unpublished: [card: string, number: string][] = [
  ["real Visa", "4012888888881881"],
  ["real Mastercard", "5105105105105100"],
  ["number of no brand", "9999999999999995"],
];

/** The outcome of every card, in both modes. */
export const cardFates: Row[] = [
  ...published.flatMap(([card, number, fate]) => {
    const late = fate === "approved" ? "expired_card" : fate;
    return [
      { card, number, ...unexpired, test: fate, live: fate },
      { card: `${card}, expired`, number, ...expired, test: late, live: late },
    ];
  }),
  ...unpublished.flatMap(([card, number]) => [
    { card, number, ...unexpired, test: "test_mode_live_card", live: "approved" } as const,
    {
      card: `${card}, expired`,
      number,
      ...expired,
      test: "test_mode_live_card",
      live: "expired_card",
    } as const,
  ]),
];

export async function chargeInNovember(
  network: LocalNetwork,
  card: Partial<CardInput>,
): Promise<ChargeOutcome> {
  const charge = chargeWith({ begunAtMs: nowMs });
  return await network.charge(charge, cardWith({ ...unexpired, ...card }));
}

/** Returns `approved`, or the decline code after a look-up. */
export async function fateOf(network: LocalNetwork, card: Partial<CardInput>): Promise<string> {
  const first = await chargeInNovember(network, card);
  if (first.outcome !== "processing") return first.outcome;
  const { reference = null } = first;
  const answer = await network.lookUp(chargeWith({ reference }));
  return answer.outcome === "declined" ? answer.code : answer.outcome;
}
