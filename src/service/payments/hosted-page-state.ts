import { hash } from "node:crypto";
import type { Payment } from "./payment-state.ts";

/**
 * The page of a payment. Times are Unix milliseconds. It is open until it is paid, canceled or expired (`openUntilMs`
 * is null from then on). A customer who pays claims it for a while. `challengeUrl` and `challengedAtMs` are those of
 * its charge: where the bank asks the customer, and since when. At
 * `askedAtMs` a browser that came back from there last made the service ask the network.
 */
export type HostedPage = {
  token: string;
  returnUrl: string | null;
  expiresAtMs: number;
  openUntilMs: number | null;
  claimedUntilMs: number;
  challengeUrl: string | null;
  challengedAtMs: number | null;
  askedAtMs: number | null;
};

/**
 * The prefix of the tokens of an account's pages, by which a page is searched among the pages of few accounts. Its
 * six hexadecimal digits do not identify the account.
 */
export function toTokenPrefix(accountId: string): string {
  return hash("sha256", accountId).slice(0, 6);
}

/**
 * `at_bank`: the bank asks the customer to confirm the payment (3-D Secure). `overdue`: the network has not answered in
 * time. In both the customer may cancel. `gone`: there is no page, or it expired a day ago.
 */
export type PageState =
  | "open"
  | "processing"
  | "at_bank"
  | "overdue"
  | "paid"
  | "declined"
  | "canceled"
  | "expired"
  | "gone";

/** Whether the payment of a page can be canceled: nobody is being charged, or the outcome is not known in time. */
export function isCancelable(state: PageState): boolean {
  return state === "open" || state === "at_bank" || state === "overdue";
}

/** How long an expired page still shows its payment's outcome; its address is its only protection. */
const outcomeRetentionMs = 24 * 60 * 60 * 1000;

/** The state of a payment's page at a time; a refunded payment counts as paid. */
export function getPageState(payment: Payment, page: HostedPage, nowMs: number): PageState {
  if (nowMs >= page.expiresAtMs + outcomeRetentionMs) return "gone";
  switch (payment.status) {
    case "pending":
      if (page.claimedUntilMs > nowMs) return "processing";
      if (payment.card && page.openUntilMs === null) return "processing";
      if (payment.card && page.challengeUrl === null) return "overdue";
      if (page.openUntilMs === null || page.openUntilMs <= nowMs) return "expired";
      return payment.card ? "at_bank" : "open";
    case "succeeded":
    case "refunded":
      return "paid";
    case "failed":
      switch (payment.decline_code) {
        case "hpp_expired":
          return "expired";
        case "customer_canceled":
        case "canceled":
          return "canceled";
        default:
          return "declined";
      }
    default:
      return payment satisfies never;
  }
}

/**
 * The return URL with the payment's id and status in its query, which replace parameters of the same names. The rest
 * of the query stays as it is.
 */
export function toReturnUrl(returnUrl: string, payment: Payment): string {
  const url = new URL(returnUrl);
  const others = url.search
    .slice(1)
    .split("&")
    .filter(
      (pair) =>
        pair !== "" && ![...new URLSearchParams(pair).keys()].some((name) => ownNames.has(name)),
    );
  url.search = [...others, `payment_id=${payment.id}`, `status=${payment.status}`].join("&");
  return url.href;
}

const ownNames = new Set(["payment_id", "status"]);
