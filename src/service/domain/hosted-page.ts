import { hash } from "node:crypto";
import type { Payment } from "./payment-state.ts";

/**
 * The page of a payment. Times are Unix milliseconds. It is open until it is paid, canceled or
 * expired (`openUntilMs` is null from then on); whoever pays it claims it for a while.
 */
export type HostedPage = {
  token: string;
  /** Where its customer is sent back to. */
  returnUrl: string | null;
  expiresAtMs: number;
  openUntilMs: number | null;
  claimedUntilMs: number;
};

/**
 * What the tokens of an account's pages begin with, so that a page can be looked for among the pages of
 * few accounts. Six hexadecimal digits, which do not identify the account.
 */
export function toTokenPrefix(accountId: string): string {
  return hash("sha256", accountId).slice(0, 6);
}

/**
 * `overdue`: its card was sent, the outcome is not known yet, and it may be canceled again. `gone`: there is none,
 * or it shows nothing any more.
 */
export type PageState =
  | "open"
  | "processing"
  | "overdue"
  | "paid"
  | "declined"
  | "canceled"
  | "expired"
  | "gone";

/** How long an expired page still shows how the payment ended: its address is all one needs. */
const outcomeShownMs = 24 * 60 * 60 * 1000;

/** What a payment's page shows at a time; a refunded payment was paid. */
export function getPageState(payment: Payment, page: HostedPage, nowMs: number): PageState {
  if (nowMs >= page.expiresAtMs + outcomeShownMs) return "gone";
  switch (payment.status) {
    case "pending":
      if (page.claimedUntilMs > nowMs) return "processing";
      if (payment.card) return page.openUntilMs === null ? "processing" : "overdue";
      return page.openUntilMs !== null && page.openUntilMs > nowMs ? "open" : "expired";
    case "succeeded":
    case "refunded":
      return "paid";
    case "failed":
      if (payment.decline_code === "hpp_expired") return "expired";
      return payment.decline_code === "customer_canceled" ? "canceled" : "declined";
    default:
      return payment satisfies never;
  }
}

/**
 * The address that a customer is sent back to: `returnUrl` with the payment's id and status in its
 * query, in place of parameters of the same names. The rest of the query stays as it was written.
 */
export function toReturnUrl(returnUrl: string, payment: Payment): string {
  const url = new URL(returnUrl);
  const others = url.search
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !ownNames.has(nameOf(pair)));
  url.search = [...others, `payment_id=${payment.id}`, `status=${payment.status}`].join("&");
  return url.href;
}

const ownNames = new Set(["payment_id", "status"]);

function nameOf(pair: string): string {
  const [name] = new URLSearchParams(pair).keys();
  return name ?? "";
}
