import * as Flags from "@oclif/core/flags";
import { testCards } from "../../contract/known-test-cards.ts";
import { integerFlag } from "./flags.ts";
import type { PaymentFlags } from "./payment-flags.ts";

// What `payments create` takes; `payments trigger` has some of it.

/** What is done with a payment's page as soon as there is one. */
export const hostedFlags = {
  open: Flags.boolean({
    summary: "Open the page in the browser.",
    dependsOn: ["hosted"],
    helpGroup: "PAGE",
  }),
  "print-url": Flags.boolean({
    summary: "Write the page's address to standard error at once, also with --json.",
    dependsOn: ["hosted"],
    helpGroup: "PAGE",
  }),
};

/** How a payment's outcome is waited for. */
export const waitFlags = {
  wait: Flags.boolean({ summary: "Wait until the payment is no longer pending." }),
  expect: Flags.string({
    summary: "Wait, and exit with 0 only if this is the outcome.",
    helpValue: "<outcome>",
  }),
  timeout: Flags.string({
    summary: "How long to wait. Default: 30s, with --hosted 15m.",
    relationships: [{ type: "some", flags: ["wait", "expect"] }],
    helpValue: "<duration>",
  }),
};

/** What a payment is made of. */
export const paymentFlags = {
  amount: Flags.string({
    summary: "Amount in minor units: 4999 is 49.99.",
    helpValue: "<minor units>",
  }),
  currency: Flags.string({
    summary: "The currency, in small or capital letters.",
    helpValue: "<code>",
  }),
  "test-card": Flags.string({
    summary: "A test card by name (see payments test-cards).",
    options: testCards.map(({ name }) => name),
    helpValue: "<name>",
    helpGroup: "CARD",
  }),
  "card-number": Flags.string({
    summary: "The card's number. Test mode only.",
    helpValue: "<digits>",
    helpGroup: "CARD",
  }),
  "exp-month": integerFlag({ summary: "1 to 12.", helpValue: "<month>", helpGroup: "CARD" }),
  "exp-year": integerFlag({ summary: "Four digits.", helpValue: "<year>", helpGroup: "CARD" }),
  cvc: Flags.string({
    summary: "The card's security code. Test mode only.",
    helpValue: "<digits>",
    helpGroup: "CARD",
  }),
  "card-holder": Flags.string({
    summary: "Name on the card.",
    helpValue: "<name>",
    helpGroup: "CARD",
  }),
  "card-file": Flags.string({
    summary: "The card as JSON, as in the API; `-` is standard input.",
    helpValue: "<path>",
    helpGroup: "CARD",
  }),
  email: customer("E-mail address."),
  "first-name": customer("First name."),
  "last-name": customer("Last name."),
  country: customer("Country code of two letters."),
  phone: customer("Phone number."),
  address: customer("Street and number."),
  city: customer("City."),
  zip: customer("Postal code."),
  description: Flags.string({ summary: "What the payment is for.", helpValue: "<text>" }),
  metadata: Flags.string({
    summary: "Metadata to keep with the payment. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<key=value>",
  }),
  data: Flags.string({
    summary: "The whole body as JSON; `-` is standard input.",
    helpValue: "<path>",
  }),
  hosted: Flags.boolean({
    summary: "Let the customer pay on a page of a running service.",
    helpGroup: "PAGE",
  }),
  "return-url": Flags.string({
    summary: "Where the page leads back to; payment_id and status are added.",
    dependsOn: ["hosted"],
    helpValue: "<url>",
    helpGroup: "PAGE",
  }),
} satisfies Record<keyof PaymentFlags, unknown>;

function customer(summary: string) {
  return Flags.string({ summary, helpValue: "<text>", helpGroup: "CUSTOMER" });
}
