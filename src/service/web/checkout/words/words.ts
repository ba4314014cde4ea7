import type { TestCard } from "../../../../contract/card.ts";
import type { DeclineCode } from "../../../../contract/field-values.ts";
import type { CardMistake } from "../../../checkout/typed-card.ts";
import type { NothingView, OutcomeView } from "../page-view.ts";

/** The declines of the test cards, but the one that the customer is asked about before. */
type TestDeclineCode = Exclude<TestCard["outcome"], "succeeded" | "authentication_required">;

/** A text with the merchant's name, and the one where the merchant has none. */
export type ByMerchant = { named: string; unnamed: string };

/**
 * Every text of the checkout pages, in one language. A word in braces is a place that the page fills: `{amount}`,
 * `{merchant}`, `{title}` (of the page), `{brand}` and `{last4}` (of the card).
 */
export type Words = {
  /** The title of the page with the form. */
  pay: ByMerchant;
  /** The heading of that page: the amount stands on a line of its own, in large type. */
  due: ByMerchant;
  payButton: string;
  paying: string;
  /** The title of a page whose form was wrong. */
  errorTitle: string;
  description: string;
  reference: string;
  promise: ByMerchant;

  cardDetails: string;
  cardNumber: string;
  expiryDate: string;
  expiryHint: string;
  securityCode: string;
  securityCodeHint: string;
  nameOnCard: string;
  optional: string;
  mistakes: Record<CardMistake, string>;
  checkFields: string;
  bankBusy: [string, string];
  /** Follows on both: the page never holds the number and the code. */
  enterAgain: string;

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
  tryAgain: ByMerchant;
  startAgain: ByMerchant;
  /** For the customer of a payment that the merchant canceled. */
  contact: ByMerchant;
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
    reasons: Record<TestDeclineCode, string>;
    asks: string;
    refundDeclined: string;
    refundSlow: string;
  };
};
