import type { Payment } from "../../../contract/payment.ts";
import { type CheckoutPage, type ShownPage, isOwnChallenge } from "../../checkout/find-page.ts";
import type { CardMistakes } from "../../checkout/typed-card.ts";
import { toReturnUrl } from "../../payments/hosted-page-state.ts";

/**
 * The content of a checkout page. Amounts are minor units; `language` is a BCP 47 tag, which decides the words of the
 * page and the notation of its amounts.
 */
export type PageView = OpenView | OutcomeView | ChallengeView | NothingView;

/** The payment waits for its card. The form posts to `action`, its cancel button to `cancelAction`. */
export type OpenView = Payable &
  Form & {
    state: "open";
    /** The payment's id, which the customer may quote. */
    reference: string;
    action: string;
    cancelAction: string;
    /** The service's time, which decides whether a card has expired. */
    nowMs: number;
  };

type Form = {
  mistakes: CardMistakes;
  /** Whether the card could not be sent to the bank. */
  isBankBusy: boolean;
  /** The input that the form contains again: number and security code are left out. */
  prefill: { expiry: string; name: string };
};

/**
 * The customer has sent a card or canceled, or the page has expired. `at_bank`: the page leads to the bank, which asks
 * the customer; `returned`: the customer is back from there, and the bank has not answered yet.
 */
export type OutcomeView = Payable & {
  state: PendingState | "paid" | "declined" | "canceled" | "expired";
  /** The payment's id, which the customer may quote. */
  reference: string;
  /** The proof of the payment; null while it is not paid. */
  receipt: Receipt | null;
  /** Why the payment failed. */
  declineCode: string | null;
  /** Whether a charge was requested from the bank, whatever its outcome. */
  wasChargeRequested: boolean;
  /** The link back to the merchant: a web address, or a path beside the page. */
  returnTo: string | null;
  /** The link to the bank's page, where the bank asks the customer. */
  bankUrl: string | null;
  /** The address of the cancel button, where there is one. */
  cancelAction: string | null;
};
type PendingState = "processing" | "at_bank" | "returned" | "overdue";

/** The challenge page of the simulator, which stands in for a bank's; its form posts to `action`. */
export type ChallengeView = Payable & { state: "challenge"; action: string };

/** There is no payment to show: unknown or long expired, a post from another site, or an internal error. */
export type NothingView = { state: "gone" | "refused" | "unavailable"; language: string };

/** `paidAt` in Unix seconds. */
type Receipt = { paidAt: number; brand: string; last4: string };

type Payable = {
  merchant: string | null;
  amount: number;
  currency: string;
  description: string | null;
  livemode: boolean;
  language: string;
};

type Options = {
  path: string;
  language: string;
  form?: Partial<Form>;
  /** Whether the customer has come back from the bank. */
  hasReturned?: boolean;
};

/** The challenge page of a payment that is at the simulator's bank. */
export function toChallengeView(
  { payment, merchant }: ShownPage,
  { path, language }: Options,
): ChallengeView {
  const { amount, currency, description, livemode } = payment;
  const payable = { merchant, amount, currency, description, livemode, language };
  return { state: "challenge", ...payable, action: `${path}/challenge` };
}

/** The view of a checkout page: `path` is the page's own, `language` the customer's. */
export function toPageView(
  page: CheckoutPage,
  { path, language, form, hasReturned = false }: Options,
): PageView {
  if (page.state === "gone") return { state: "gone", language };
  const { id: reference, amount, currency, description, livemode, card } = page.payment;
  const { merchant } = page;
  const payable = { merchant, amount, currency, description, livemode, language };
  const cancelAction = `${path}/cancel`;
  if (page.state === "open") {
    const { state, nowMs } = page;
    const blank = { mistakes: {}, isBankBusy: false, prefill: { expiry: "", name: "" } };
    return { state, reference, ...payable, nowMs, action: path, cancelAction, ...blank, ...form };
  }
  const state = hasReturned && page.state === "at_bank" ? "returned" : page.state;
  const isUndecided = Object.hasOwn(isCancelable, state);
  return {
    state,
    reference,
    ...payable,
    receipt: page.state === "paid" ? toReceipt(page.payment) : null,
    declineCode: page.declineCode,
    wasChargeRequested: card !== null,
    returnTo: isUndecided ? null : toReturnLink(page, path),
    bankUrl: isOwnChallenge(page) ? `${path}/challenge` : page.challengeUrl,
    cancelAction: isUndecided && isCancelable[state as PendingState] ? cancelAction : null,
  };
}

const isCancelable = {
  processing: false,
  at_bank: true,
  returned: true,
  overdue: true,
} as const satisfies Record<PendingState, boolean>;

/**
 * After how many seconds a page with a return address leads there by itself: later where it tells the customer
 * something new, a reason or that money may come back.
 */
export function findReturnSeconds(view: OutcomeView): number {
  const { state, declineCode, wasChargeRequested } = view;
  const isOwnCancel = state === "canceled" && declineCode !== "canceled" && !wasChargeRequested;
  return state === "paid" || isOwnCancel ? 5 : 10;
}

/** After a challenge it is the merchant's own address: the return path is where the bank sends the customer. */
function toReturnLink(
  { returnUrl, payment, wasChallenged }: ShownPage,
  path: string,
): string | null {
  if (returnUrl === null) return null;
  return wasChallenged ? toReturnUrl(returnUrl, payment) : `${path}/return`;
}

function toReceipt({ succeeded_at: paidAt, card }: Payment): Receipt | null {
  return paidAt === null || card === null ? null : { paidAt, brand: card.brand, last4: card.last4 };
}
