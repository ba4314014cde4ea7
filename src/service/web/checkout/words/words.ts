import type { DeclineCode } from "../../../../contract/payment-values.ts";
import type { CardMistake } from "../../../domain/typed-card.ts";
import type { NothingView, OutcomeView } from "../page-view.ts";

/** A text with the merchant's name, and the one where the merchant has none. */
export type ByMerchant = { named: string; unnamed: string };

/**
 * Every text of the checkout pages, in one language. A word in braces is a place that the page fills: `{amount}`,
 * `{merchant}`, `{title}` (of the page), `{brand}` and `{last4}` (of the card).
 */
export type Words = {
  pay: ByMerchant;
  payButton: string;
  paying: string;
  /** The title of a page whose form was wrong. */
  errorTitle: string;
  description: string;
  reference: string;
  promise: string;

  cardDetails: string;
  cardNumber: string;
  expiryDate: string;
  expiryHint: string;
  securityCode: string;
  securityCodeHint: string;
  nameOnCard: string;
  optional: string;
  mistakes: Record<CardMistake, string>;
  correctMistakes: string;
  bankBusy: string;

  cancel: string;
  canceling: string;

  /** Below the heading of an outcome. */
  amountTo: ByMerchant;
  /** `title` stands in the browser's tab. */
  outcomes: Record<OutcomeView["state"], { heading: string; title: string }>;
  processing: string;
  atBank: string;
  returned: [string, string];
  overdue: [string, string];
  paid: string;
  canClose: string;
  notCharged: string;
  chargeRequested: string;
  startAgain: Record<"declined" | "canceled" | "expired", ByMerchant>;
  /** Why a payment failed, for its customer. Who canceled it, or let it expire, knows. */
  reasons: Record<Exclude<DeclineCode, "hpp_expired" | "customer_canceled">, string>;

  paidAt: string;
  card: string;
  cardEndingIn: string;
  returnTo: ByMerchant;
  returnsByItself: string;
  continueAtBank: string;

  challenge: { heading: string; title: string; text: string; approve: string; decline: string };
  nothings: Record<NothingView["state"], { title: string; paragraphs: [string, string] }>;

  testMode: { title: string; text: string; withCards: string };
  testCards: {
    title: string;
    text: string;
    card: string;
    outcome: string;
    paid: string;
    declined: string;
    asks: string;
    refundDeclined: string;
    refundSlow: string;
  };
};
