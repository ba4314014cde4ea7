import type { PaymentsService } from "../payments/payments-store.ts";
import { defaultAccountName } from "../../contract/administration.ts";
import { getPageState, type PageState } from "../payments/hosted-page-state.ts";
import type { Payment } from "../payments/payment-state.ts";
import type { FoundPage } from "../payments/payments-sql.ts";

/** The service, as use cases of hosted payment pages take it. */
export type CheckoutService = PaymentsService & {
  /** How customers reach this service, without a slash at the end; undefined where they cannot. */
  publicUrl: () => string | undefined;
  /** How long a payment page can be paid where its request does not say. */
  hppExpiryMs: number;
};

/**
 * `merchant`: the name of the account, where it has one. `declineCode`: why the payment failed.
 * `challengeUrl`: where the bank asks the customer; `wasChallenged`: whether a bank did or does.
 */
export type ShownPage = {
  state: Exclude<PageState, "gone">;
  nowMs: number;
  token: string;
  payment: Payment;
  merchant: string | null;
  declineCode: string | null;
  returnUrl: string | null;
  challengeUrl: string | null;
  wasChallenged: boolean;
};
export type CheckoutPage = ShownPage | { state: "gone" };

/**
 * The state of the page with a token: `gone` where the token is unknown or malformed, or the page expired a day ago.
 */
export async function findPage(service: CheckoutService, token: string): Promise<CheckoutPage> {
  return await toCheckoutPage(service, await lookUpPage(service, token));
}

/** A malformed token is looked up like any other, so that it takes as long. */
export async function lookUpPage(
  service: CheckoutService,
  token: string,
): Promise<FoundPage | undefined> {
  return await service.store.findPage(/^[0-9A-Za-z]{1,64}$/.test(token) ? token : "-");
}

export function getStateOfPage(found: FoundPage | undefined, nowMs: number): PageState {
  return found ? getPageState(found.payment, found.page, nowMs) : "gone";
}

export async function toCheckoutPage(
  service: CheckoutService,
  found: FoundPage | undefined,
): Promise<CheckoutPage> {
  const nowMs = service.clock();
  const state = getStateOfPage(found, nowMs);
  if (!found || state === "gone") return { state: "gone" };
  const { scope, payment, page } = found;
  const name = (await service.store.findAccount(scope.accountId))?.account.name;
  const merchant = name === undefined || name === defaultAccountName ? null : name;
  const declineCode = payment.status === "failed" ? payment.decline_code : null;
  const { token, returnUrl, challengeUrl } = page;
  const challenge = { challengeUrl, wasChallenged: page.challengedAtMs !== null };
  return { state, nowMs, token, payment, merchant, declineCode, returnUrl, ...challenge };
}

/** Whether it is the simulator that asks the customer, on a page of this service. */
export function isOwnChallenge({ payment, challengeUrl }: ShownPage): boolean {
  return challengeUrl === `${payment.redirect_url}/challenge`;
}
