import type { Payment } from "../../../contract/payment.ts";
import type { CheckoutPage } from "../../checkout/find-page.ts";

/**
 * The content of a checkout page. Amounts are minor units; `language` is a BCP 47 tag, which decides only the
 * notation of the amount.
 */
export type PageView = OpenView | OutcomeView | NothingView;

/** The payment waits for its card. The form posts to `action`, its cancel button to `cancelAction`. */
export type OpenView = Payable &
  Form & {
    state: "open";
    action: string;
    cancelAction: string;
    /** The service's time, which decides whether a card has expired. */
    nowMs: number;
  };

type Form = {
  mistakes: PageMistakes;
  /** Whether the card could not be sent to the bank. */
  isBankBusy: boolean;
  /** The input that the form contains again: number and security code are left out. */
  prefill: { expiry: string; name: string };
};

/** The mistake in each field, in words for the customer. */
export type PageMistakes = { number?: string; expiry?: string; cvc?: string; name?: string };

/** The customer has sent a card or canceled, or the page has expired. */
export type OutcomeView = Payable & {
  state: "processing" | "overdue" | "paid" | "declined" | "canceled" | "expired";
  /** The proof of the payment; null while it is not paid. */
  receipt: Receipt | null;
  /** Why the card was declined, in words for the customer. */
  reason: string | null;
  /** Whether a charge was requested from the bank, whatever its outcome. */
  wasChargeRequested: boolean;
  /** The link back to the merchant: a web address, or a path beside the page. */
  returnTo: string | null;
  /** The address of the cancel button, where there is one. */
  cancelAction: string | null;
};

/** There is no payment to show: unknown or long expired, a post from another site, or an internal error. */
export type NothingView = { state: "gone" | "refused" | "unavailable" };

/** `id` is the payment's, `paidAt` in Unix seconds. */
export type Receipt = { id: string; paidAt: number; brand: string; last4: string };

type Payable = {
  merchant: string | null;
  amount: number;
  currency: string;
  description: string | null;
  livemode: boolean;
  language: string;
};

/** The view of a checkout page: `path` is the page's own, `language` that of amounts. */
export function toPageView(
  page: CheckoutPage,
  { path, language, form }: { path: string; language: string; form?: Partial<Form> },
): PageView {
  if (page.state === "gone") return { state: "gone" };
  const { amount, currency, description, livemode, card } = page.payment;
  const { merchant } = page;
  const payable = { merchant, amount, currency, description, livemode, language };
  const cancelAction = `${path}/cancel`;
  if (page.state === "open") {
    const { state, nowMs } = page;
    const blank = { mistakes: {}, isBankBusy: false, prefill: { expiry: "", name: "" } };
    return { state, ...payable, nowMs, action: path, cancelAction, ...blank, ...form };
  }
  const isUndecided = page.state === "processing" || page.state === "overdue";
  return {
    state: page.state,
    ...payable,
    receipt: page.state === "paid" ? toReceipt(page.payment) : null,
    reason: page.reason,
    wasChargeRequested: card !== null,
    returnTo: page.returnUrl !== null && !isUndecided ? `${path}/return` : null,
    cancelAction: page.state === "overdue" ? cancelAction : null,
  };
}

function toReceipt({ id, succeeded_at: paidAt, card }: Payment): Receipt | null {
  return paidAt === null || card === null
    ? null
    : { id, paidAt, brand: card.brand, last4: card.last4 };
}
