import type { Payment } from "../../../contract/payment.ts";
import type { OpenView, PageView, Receipt } from "./payment-page.ts";
import type { CheckoutPage } from "../../checkout/find-page.ts";

/** What was typed before, and why that was not enough. */
type Form = Pick<OpenView, "mistakes" | "isBankBusy" | "kept">;
const blankForm: Form = { mistakes: {}, isBankBusy: false, kept: { expiry: "", name: "" } };

/** A page as it is shown: `path` is the page's own, `language` how amounts are written. */
export function toPageView(
  page: CheckoutPage,
  { path, language, form }: { path: string; language: string; form?: Partial<Form> },
): PageView {
  if (page.state === "gone") return { state: "gone" };
  const { amount, currency, description, livemode } = page.payment;
  const { merchant } = page;
  const shown = { merchant, amount, currency, description, livemode, language };
  const cancelAction = `${path}/cancel`;
  if (page.state === "open") {
    const { nowMs } = page;
    return {
      state: page.state,
      ...shown,
      nowMs,
      action: path,
      cancelAction,
      ...blankForm,
      ...form,
    };
  }
  const isUndecided = page.state === "processing" || page.state === "overdue";
  const hasReturn = page.returnUrl !== null && !isUndecided;
  return {
    state: page.state,
    ...shown,
    receipt: page.state === "paid" ? receiptOf(page.payment) : null,
    reason: page.reason,
    wasBankAsked: page.payment.card !== null,
    returnTo: hasReturn ? `${path}/return` : null,
    cancelAction: page.state === "overdue" ? cancelAction : null,
  };
}

function receiptOf({ id, succeeded_at, card }: Payment): Receipt | null {
  if (succeeded_at === null || card === null) return null;
  return { id, paidAt: succeeded_at, brand: card.brand, last4: card.last4 };
}

/** Long enough to read what became of the payment; the page says that it goes on by itself. */
const returnSeconds = 5;

/** When the browser is to go where a page leads back to. */
export function computeRefresh(view: PageView): string | undefined {
  if (!("returnTo" in view) || view.returnTo === null) return undefined;
  return `${returnSeconds}; url=${view.returnTo}`;
}
