import { defaultAccountName } from "../../contract/administration.ts";
import { getPageState, type PageState } from "../payments/hosted-page-state.ts";
import type { Payment } from "../payments/payment-state.ts";
import type { FoundPage } from "../payments/payment-types.ts";
import type { Ports } from "../ports/ports.ts";

/**
 * `merchant`: the name of the account, where it has one. `declineCode`: why the payment failed.
 * `challengeUrl`: where the bank asks the customer; `wasChallenged`: whether a bank did or does.
 */
export type CheckoutPage =
  | {
      state: Exclude<PageState, "gone">;
      nowMs: number;
      token: string;
      payment: Payment;
      merchant: string | null;
      declineCode: string | null;
      returnUrl: string | null;
      challengeUrl: string | null;
      wasChallenged: boolean;
    }
  | { state: "gone" };

/**
 * The state of the page with a token: `gone` where the token is unknown or malformed, or the page expired a day ago.
 */
export async function findPage(ports: Ports, token: string): Promise<CheckoutPage> {
  return await toCheckoutPage(ports, await lookUpPage(ports, token));
}

/** A malformed token is looked up like any other, so that it takes as long. */
export async function lookUpPage(ports: Ports, token: string): Promise<FoundPage | undefined> {
  return await ports.store.findPage(/^[0-9A-Za-z]{1,64}$/.test(token) ? token : "-");
}

export function getStateOfPage(found: FoundPage | undefined, nowMs: number): PageState {
  return found ? getPageState(found.payment, found.page, nowMs) : "gone";
}

export async function toCheckoutPage(
  ports: Ports,
  found: FoundPage | undefined,
): Promise<CheckoutPage> {
  const nowMs = ports.clock();
  const state = getStateOfPage(found, nowMs);
  if (!found || state === "gone") return { state: "gone" };
  const { scope, payment, page } = found;
  const name = (await ports.store.findAccount(scope.accountId))?.account.name;
  const merchant = name === undefined || name === defaultAccountName ? null : name;
  const declineCode = payment.status === "failed" ? payment.decline_code : null;
  const { token, returnUrl, challengeUrl } = page;
  const challenge = { challengeUrl, wasChallenged: page.challengedAtMs !== null };
  return { state, nowMs, token, payment, merchant, declineCode, returnUrl, ...challenge };
}
