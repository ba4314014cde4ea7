import { declineReason } from "../domain/decline.ts";
import { pageState, type PageState } from "../domain/hosted-page.ts";
import type { Payment } from "../domain/payment.ts";
import type { FoundPage, Ports } from "./ports.ts";

/** `reason`: why the card was declined, in words for its holder. */
export type ShownPage =
  | {
      state: Exclude<PageState, "gone">;
      token: string;
      payment: Payment;
      reason: string | null;
      returnUrl: string | null;
    }
  | { state: "gone" };

/** What the page with a token shows. An unknown, a malformed and an expired one are all gone. */
export async function findPage(ports: Ports, token: string): Promise<ShownPage> {
  return shownPage(await lookUp(ports, token), ports.clock());
}

/** A malformed token is looked up like any other, so that it takes as long. */
export async function lookUp(ports: Ports, token: string): Promise<FoundPage | undefined> {
  return await ports.store.findPage(/^[0-9A-Za-z]{1,64}$/.test(token) ? token : "-");
}

export function shownPage(found: FoundPage | undefined, nowMs: number): ShownPage {
  if (!found) return { state: "gone" };
  const { payment, page } = found;
  const state = pageState(payment, page, nowMs);
  if (state === "gone") return { state };
  const reason = payment.status === "failed" ? declineReason(payment.decline_code) : null;
  return { state, token: page.token, payment, reason, returnUrl: page.returnUrl };
}
