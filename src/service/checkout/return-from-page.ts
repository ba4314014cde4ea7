import {
  type CheckoutPage,
  type CheckoutService,
  getStateOfPage,
  lookUpPage,
  toCheckoutPage,
} from "./find-page.ts";
import { toReturnUrl } from "../payments/hosted-page-state.ts";
import { askAboutChallenge } from "./end-challenge.ts";

/**
 * Sends on a customer who leaves the page for the merchant, or comes back from the bank. An address: the payment's
 * return URL, with its status. `page`: the page itself, which is open, shows the outcome of a challenge, or has no
 * return URL. `waiting`: the bank has not answered yet. `asks`: whether the network is asked about a challenge; coming
 * back proves nothing.
 */
export async function returnFromPage(
  service: CheckoutService,
  token: string,
  { asks }: { asks: boolean },
): Promise<{ address: string } | { waiting: CheckoutPage } | "page" | "gone"> {
  let found = await lookUpPage(service, token);
  if (found && asks && getStateOfPage(found, service.clock()) === "at_bank") {
    await askAboutChallenge(service, found);
    found = await lookUpPage(service, token);
  }
  const page = await toCheckoutPage(service, found);
  if (page.state === "gone") return "gone";
  if (page.state === "at_bank") return { waiting: page };
  if (page.state === "open" || page.wasChallenged || page.returnUrl === null) return "page";
  return { address: toReturnUrl(page.returnUrl, page.payment) };
}
