import type { PageMistakes, PageView } from "../page/payment-page.ts";
import type { ShownPage } from "../use-cases/find-page.ts";

/** What was typed before, and what was wrong with it. */
type Form = { mistakes: PageMistakes; kept: { expiry: string; name: string } };
const blankForm: Form = { mistakes: {}, kept: { expiry: "", name: "" } };

/** A page as it is shown: `path` is the page's own, `language` how amounts are written. */
export function viewOf(
  page: ShownPage,
  { path, language, form = blankForm }: { path: string; language: string; form?: Form },
): PageView {
  if (page.state === "gone") return { state: "gone" };
  const { amount, currency, description, livemode } = page.payment;
  const { merchant } = page;
  const shown = { merchant, amount, currency, description, livemode, language };
  if (page.state === "open") {
    const actions = { action: path, cancelAction: `${path}/cancel` };
    return { state: page.state, ...shown, ...actions, ...form };
  }
  const hasReturn = page.returnUrl !== null && page.state !== "processing";
  const returnTo = hasReturn ? `${path}/return` : null;
  return { state: page.state, ...shown, reason: page.reason, returnTo };
}

const askAgainSeconds = 1;
/** Long enough to read what became of the payment; the page says that it goes on by itself. */
const returnSeconds = 5;

/** When the browser is to load what next: the same page while it waits, then where it leads back to. */
export function refreshOf(view: PageView): string | undefined {
  if (view.state === "processing") return String(askAgainSeconds);
  if (!("returnTo" in view) || view.returnTo === null) return undefined;
  return `${returnSeconds}; url=${view.returnTo}`;
}
