/**
 * What the hosted payment page shows. Amounts are minor units; `language` is a BCP 47 tag and decides
 * how the amount is written, nothing else.
 */
export type PageView = OpenView | OutcomeView | NothingView;

/** The payment waits for its card. The form posts to `action`, its cancel button to `cancelAction`. */
export type OpenView = Payable & {
  state: "open";
  action: string;
  cancelAction: string;
  /** When this was so: by the service's clock, which decides whether a card has expired. */
  nowMs: number;
  mistakes: PageMistakes;
  /** Whether what was typed before could not be sent on to the bank. */
  isBankBusy: boolean;
  /** What the customer typed before, without number and security code: these are never shown again. */
  kept: { expiry: string; name: string };
};

/** What is wrong with each field, in words for the customer. */
export type PageMistakes = { number?: string; expiry?: string; cvc?: string; name?: string };

/** The card was taken, the customer went away, or the page's life ended. */
export type OutcomeView = Payable & {
  state: "processing" | "overdue" | "paid" | "declined" | "canceled" | "expired";
  /** What proves that it was paid; null while it is not. */
  receipt: Receipt | null;
  /** Why the card was declined, in words for the customer. */
  reason: string | null;
  /** Whether the bank was asked for the money, whatever it answered. */
  wasBankAsked: boolean;
  /** Where the link back to the merchant leads: a web address, or a path beside the page. */
  returnTo: string | null;
  /** What the cancel button posts to, where there is one. */
  cancelAction: string | null;
};

/** There is no payment to show: unknown or long expired, a post from elsewhere, or a fault. */
export type NothingView = { state: "gone" | "refused" | "unavailable" };

/** `id` is the payment's, `paidAt` in Unix seconds; of the card there is its brand and its last four digits. */
export type Receipt = { id: string; paidAt: number; brand: string; last4: string };

type Payable = {
  /** Who is paid, where that is known. */
  merchant: string | null;
  amount: number;
  currency: string;
  description: string | null;
  livemode: boolean;
  language: string;
};
