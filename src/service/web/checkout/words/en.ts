import type { CardMistake } from "../../../checkout/typed-card.ts";
import type { NothingView, OutcomeView } from "../page-view.ts";

/** A text with the merchant's name, and the one where the merchant has none. */
export type ByMerchant = { named: string; unnamed: string };

/**
 * Every text of the checkout pages; another language has the same ones. A word in braces is a place that the page
 * fills: `{amount}`, `{merchant}`, `{title}` (of the page), `{brand}` and `{last4}` (of the card).
 */
export const en = {
  /** The title of the page with the form. */
  pay: { named: "Pay {merchant} {amount}", unnamed: "Pay {amount}" },
  /** The heading of that page: the amount stands on a line of its own, in large type. */
  due: { named: "Pay {merchant} {amount}", unnamed: "Amount due {amount}" },
  payButton: "Pay {amount}",
  paying: "Paying…",
  /** The title of a page whose form was wrong. */
  errorTitle: "Error: {title}",
  description: "For",
  reference: "Reference",
  promise: {
    named: "{merchant} does not see your card number.",
    unnamed: "The merchant does not see your card number.",
  },

  cardDetails: "Card details",
  cardNumber: "Card number",
  expiryDate: "Expiry date",
  expiryHint: "MM / YY",
  securityCode: "Security code",
  securityCodeHint: "3 or 4 digits",
  nameOnCard: "Name on card",
  optional: "(optional)",
  mistakes: {
    number_missing: "Enter the card number.",
    number_not_digits: "Enter the card number in digits only.",
    number_length: "Enter the whole card number. It has 12 to 19 digits.",
    number_wrong: "Enter a valid card number.",
    expiry_missing: "Enter the month and year on the card, such as 09/30.",
    expiry_unreadable: "Enter the month and year as shown on the card, such as 09/30.",
    expiry_month: "Enter a month from 01 to 12.",
    expired: "This card has expired. Use another card.",
    cvc_back: "Enter the 3 digits on the back of the card.",
    cvc_front: "Enter the 4 digits on the front of the card.",
    name_length: "Enter a name of at most 200 characters.",
    name_wrong: "Enter the name as shown on the card.",
  },
  checkFields: "Check the marked fields.",
  bankBusy: ["The bank cannot be reached at the moment.", "Please try again in a minute."],
  /** Follows on both: the page never holds the number and the code. */
  enterAgain: "Enter the card number and security code again. They are not stored.",

  cancel: "Cancel payment",
  canceling: "Canceling…",

  /** Below the heading of an outcome. */
  amountTo: { named: "{amount} to {merchant}", unnamed: "{amount}" },
  /** `title` stands in the browser's tab. */
  outcomes: {
    processing: {
      heading: "Processing your payment",
      title: "Processing the payment of {amount}",
    },
    at_bank: {
      heading: "Confirm the payment at your bank",
      title: "Confirm at your bank: {amount}",
    },
    returned: { heading: "Waiting for your bank", title: "Waiting for your bank: {amount}" },
    overdue: {
      heading: "Your bank has not answered yet",
      title: "Waiting for your bank: {amount}",
    },
    paid: { heading: "Payment complete", title: "Paid: {amount}" },
    declined: { heading: "Payment declined", title: "Declined: {amount}" },
    canceled: { heading: "Payment canceled", title: "Canceled: {amount}" },
    expired: { heading: "This payment page has expired", title: "Expired: {amount}" },
  },
  processing: "This takes a moment. The page updates by itself. There is no need to pay again.",
  atBank: "You will be redirected to your bank and then back here.",
  returned: [
    "Your bank has not told us yet whether you confirmed the payment. This page shows the result as soon as it does. There is no need to pay again.",
    "If you have not confirmed it, continue at your bank, or cancel the payment.",
  ],
  overdue: [
    "There is no need to pay again. The payment continues, and this page will show the result, even if you come back later.",
    "If you do not want to wait, cancel the payment. If the charge still goes through, it will be refunded.",
  ],
  paid: "Thank you for your payment.",
  canClose: "You can close this page.",
  notCharged: "You were not charged.",
  chargeRequested:
    "The payment was already sent to the bank. If the charge still goes through, it will be refunded. A refund can take a few days to appear on your account.",
  tryAgain: {
    named: "Go back to {merchant} and try again, with another card if necessary.",
    unnamed: "Go back to the merchant and try again, with another card if necessary.",
  },
  startAgain: {
    named: "To pay, go back to {merchant} and start the payment again.",
    unnamed: "To pay, go back to the merchant and start the payment again.",
  },
  /** For the customer of a payment that the merchant canceled. */
  contact: {
    named: "If you have any questions, contact {merchant}.",
    unnamed: "If you have any questions, contact the merchant.",
  },

  paidAt: "Paid",
  card: "Card",
  cardEndingIn: "{brand} ending in {last4}",
  returnTo: { named: "Return to {merchant}", unnamed: "Return to the merchant" },
  returnsByItself: "You will be redirected in a few seconds.",
  continueAtBank: "Continue to your bank",

  challenge: {
    heading: "Confirm the payment?",
    title: "Confirm {amount}",
    text: "This test page stands in for the bank. In live mode your customers see their own bank’s page here.",
    approve: "Approve",
    decline: "Decline",
  },
  nothings: {
    gone: {
      title: "This payment page is not available",
      paragraphs: [
        "The page has expired, or its address is not complete.",
        "If you have paid already, do not pay again. Otherwise, go back to the merchant and start the payment again.",
      ],
    },
    refused: {
      title: "Something went wrong",
      paragraphs: [
        "Nothing was changed.",
        "Please open the payment page again from the merchant’s site.",
      ],
    },
    unavailable: {
      title: "The payment page is not available right now",
      paragraphs: [
        "Please reload the payment page in a minute.",
        "You will not be charged twice. If your payment already went through, the page will say so.",
      ],
    },
  },

  testMode: {
    title: "Test mode",
    text: "No money moves.",
    withCards: "No money moves, and only test cards are accepted.",
  },
  testCards: {
    title: "Test cards",
    text: "With any expiry date in the future and any security code.",
    card: "Card",
    outcome: "Payment",
    paid: "paid",
    declined: "declined: {reason}",
    asks: "asks for a confirmation",
    refundDeclined: "refund declined",
    refundSlow: "refund slow",
  },
} satisfies {
  mistakes: Record<CardMistake, string>;
  bankBusy: Pair;
  outcomes: Record<OutcomeView["state"], { heading: string; title: string }>;
  returned: Pair;
  overdue: Pair;
  nothings: Record<NothingView["state"], { title: string; paragraphs: Pair }>;
  [text: string]: unknown;
};

type Pair = [string, string];

/** All words of a language, but for those of decline codes. */
export type OwnWords = typeof en;
