import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { testCards } from "../../contract/card.ts";
import { integerFlag, switchFlag, textFlag } from "./flag-kinds.ts";

const card = { helpGroup: "CARD" };
const customer = { helpGroup: "CUSTOMER" };
const page = { helpGroup: "PAGE" };
const ofPage = { dependsOn: ["hosted"], ...page };

// The flags of `payments create`, some of which `payments trigger` has too.

/** Actions on a payment's page as soon as it exists. */
export const hostedFlags = {
  open: switchFlag("Open the page in the browser.", ofPage),
  "print-url": switchFlag(
    "Write the page's address to standard error at once, also with --json.",
    ofPage,
  ),
};

/** Waiting for a payment's outcome. */
export const waitFlags = (timeoutSummary: string) => ({
  wait: switchFlag("Wait until the payment is no longer pending."),
  expect: textFlag("Wait, and exit with 0 only if this is the outcome.", "<outcome>"),
  timeout: textFlag(timeoutSummary, "<duration>", {
    relationships: [{ type: "some", flags: ["wait", "expect"] }],
  }),
});

/** The customer's decision where the bank asks for a confirmation. */
export const challengeFlag = {
  challenge: Flags.option({
    summary: "The customer's decision when the bank asks for a confirmation.",
    options: ["approve", "decline"] as const,
    default: "approve",
    helpValue: "<decision>",
  })(),
};

export const customerFlags = {
  email: textFlag("E-mail address.", "<text>", customer),
  "first-name": textFlag("First name.", "<text>", customer),
  "last-name": textFlag("Last name.", "<text>", customer),
  country: textFlag("Country code of two letters.", "<text>", customer),
  phone: textFlag("Phone number.", "<text>", customer),
  address: textFlag("Street and number.", "<text>", customer),
  city: textFlag("City.", "<text>", customer),
  zip: textFlag("Postal code.", "<text>", customer),
};

/** The parts of a request to create a payment. */
export const paymentFlags = {
  amount: textFlag("Amount in minor units: 4999 is 49.99.", "<minor units>"),
  currency: textFlag("The currency, in small or capital letters.", "<code>"),
  "test-card": Flags.string({
    summary: "A test card by name (see payments test-cards).",
    options: testCards.map(({ name }) => name),
    helpValue: "<name>",
    ...card,
  }),
  "card-number": textFlag("The card's number. Test mode only.", "<digits>", card),
  "exp-month": integerFlag("1 to 12.", "<month>", card),
  "exp-year": integerFlag("Four digits.", "<year>", card),
  cvc: textFlag("The card's security code. Test mode only.", "<digits>", card),
  "card-holder": textFlag("Name on the card.", "<name>", card),
  "card-file": textFlag("The card as JSON, as in the API; `-` is standard input.", "<path>", card),
  ...customerFlags,
  description: textFlag("What the payment is for.", "<text>"),
  metadata: Flags.string({
    summary: "Metadata to store with the payment. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<key=value>",
  }),
  data: textFlag("The whole body as JSON; `-` is standard input.", "<path>"),
  hosted: switchFlag("Let the customer pay on a page of a running service.", page),
  "return-url": textFlag(
    "Where the page leads back to; payment_id and status are added.",
    "<url>",
    ofPage,
  ),
  "expires-in": textFlag(
    "How long the page can be paid: 5m to 30d. Default: as the service was started.",
    "<duration>",
    ofPage,
  ),
};

const { hosted: _, ...bodyFlags } = paymentFlags;
const { "return-url": returnUrl, "expires-in": expiresIn, ...directFlags } = bodyFlags;

/** The flags of `payments trigger`, which chooses itself between a card and a page. */
export const triggeredFlags = {
  ...directFlags,
  amount: textFlag("Amount in minor units: 4999 is 49.99. Default: 4999.", "<minor units>"),
  currency: textFlag("The currency, in small or capital letters. Default: eur.", "<code>"),
  data: textFlag("The body as JSON; `-` is standard input. What it lacks is filled in.", "<path>"),
  "return-url": { ...returnUrl, dependsOn: [] },
  "expires-in": { ...expiresIn, dependsOn: [] },
};

export type PaymentFlags = Partial<InferredFlags<typeof paymentFlags>>;

/** The values that prompts can ask for if they are missing. */
export type Answers = Pick<
  PaymentFlags,
  "amount" | "currency" | "test-card" | "card-number" | "exp-month" | "exp-year" | "cvc"
>;
