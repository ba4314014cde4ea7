import type { Words } from "./words.ts";

export const en: Words = {
  pay: { named: "Pay {merchant} {amount}", unnamed: "Pay {amount}" },
  payButton: "Pay {amount}",
  paying: "Paying…",
  errorTitle: "Error: {title}",
  description: "For",
  reference: "Reference",
  promise: "The merchant does not see your card number.",

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
    number_length: "Enter the whole card number: it has 12 to 19 digits.",
    number_wrong: "Check the card number: a digit is wrong.",
    expiry_missing: "Enter the month and year on the card, such as 09/30.",
    expiry_unreadable: "Enter month and year as they stand on the card, such as 09/30.",
    expiry_month: "Check the month: it is a number from 01 to 12.",
    expired: "This card has expired. Use another card.",
    cvc_back: "Enter the 3 digits on the back of the card.",
    cvc_front: "Enter the 4 digits on the front of the card.",
    name_length: "Enter a name of at most 200 characters.",
    name_wrong: "Enter the name as it stands on the card.",
  },
  correctMistakes:
    "Nothing was paid yet. Please correct what is marked below, and enter the card number and security code again: they are not stored.",
  bankBusy:
    "You were not charged: the bank cannot be reached at the moment. Please try again in a minute, and enter the card number and security code again: they are not stored.",

  cancel: "Cancel payment",
  canceling: "Canceling…",

  amountTo: { named: "{amount} to {merchant}", unnamed: "{amount}" },
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
      heading: "The bank has not answered yet",
      title: "Waiting for the bank: {amount}",
    },
    paid: { heading: "Payment complete", title: "Paid: {amount}" },
    declined: { heading: "Payment declined", title: "Declined: {amount}" },
    canceled: { heading: "Payment canceled", title: "Canceled: {amount}" },
    expired: { heading: "This payment page has expired", title: "Expired: {amount}" },
  },
  processing: "This takes a moment. The page reloads by itself: there is no need to pay again.",
  atBank:
    "Your bank asks you to confirm this payment. This page takes you there in a moment, and your bank brings you back.",
  returned: [
    "Your bank has not said yet whether you confirmed the payment. This page shows the result as soon as it does: there is no need to pay again.",
    "If you have not confirmed it, continue at your bank, or cancel the payment.",
  ],
  overdue: [
    "There is no need to pay again: the payment continues, and this page will show the result, also when you come back later.",
    "If you do not want to wait, cancel it. If the bank charges you after all, you get the money back.",
  ],
  paid: "Thank you, your payment went through.",
  canClose: "You can close this page.",
  notCharged: "You were not charged.",
  chargeRequested:
    "The payment was already sent to the bank. If it charges you after all, you get the money back. That may take some days to show on your account.",
  startAgain: {
    declined: {
      named:
        "This attempt is final. To pay, with another card if need be, go back to {merchant} and start again.",
      unnamed:
        "This attempt is final. To pay, with another card if need be, go back to the merchant and start again.",
    },
    canceled: {
      named: "To pay after all, go back to {merchant} and start again.",
      unnamed: "To pay after all, go back to the merchant and start again.",
    },
    expired: {
      named: "To pay, go back to {merchant} and start again.",
      unnamed: "To pay, go back to the merchant and start again.",
    },
  },
  reasons: {
    generic_decline: "Your card was declined.",
    insufficient_funds: "Your card has insufficient funds for this payment.",
    expired_card: "Your card has expired.",
    authentication_required:
      "Your bank wanted you to confirm this payment, and it was not confirmed.",
    test_mode_live_card: "This is a test payment, which only accepts test cards.",
    canceled: "The merchant canceled this payment.",
    processing_error: "The payment could not be processed at the moment.",
  },

  paidAt: "Paid",
  card: "Card",
  cardEndingIn: "{brand} ending in {last4}",
  returnTo: { named: "Return to {merchant}", unnamed: "Return to the merchant" },
  returnsByItself: "You will be taken there in a few seconds.",
  continueAtBank: "Continue to your bank",

  challenge: {
    heading: "Confirm the payment?",
    title: "Confirm {amount}",
    text: "This page stands in for the customer’s bank. A real bank asks here in its own way.",
    approve: "Approve",
    decline: "Decline",
  },
  nothings: {
    gone: {
      title: "This payment page is not available",
      paragraphs: [
        "It expired some time ago, or its address is not complete. Opening it charged nothing.",
        "To pay, go back to the merchant and start again.",
      ],
    },
    refused: {
      title: "This request was refused",
      paragraphs: [
        "It did not come from the payment page itself, so it charged nothing.",
        "To pay, open the payment page from the merchant’s site.",
      ],
    },
    unavailable: {
      title: "The payment page is not available right now",
      paragraphs: [
        "Please reload the payment page in a minute.",
        "Nothing is charged twice: a payment that already went through is shown there as complete.",
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
    declined: "declined",
    asks: "asks for a confirmation",
    refundDeclined: "refund declined",
    refundSlow: "refund slow",
  },
};
