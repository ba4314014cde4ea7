import type { CheckoutService } from "./find-page.ts";
import { storeAnswer } from "../payments/ask-network.ts";
import { findPage, getStateOfPage, lookUpPage, type CheckoutPage } from "./find-page.ts";

/**
 * The challenge page of the simulator, which stands in for a bank's; `closed` where its payment is not at that bank.
 */
export async function findChallenge(
  service: CheckoutService,
  token: string,
): Promise<CheckoutPage | "closed" | "gone"> {
  const page = await findPage(service, token);
  if (page.state === "gone") return "gone";
  return page.state === "at_bank" && isOwnChallenge(page) ? page : "closed";
}

/** Ends the simulator's challenge as the customer decides, once. */
export async function endChallenge(
  service: CheckoutService,
  token: string,
  { isApproved }: { isApproved: boolean },
): Promise<"closed" | "gone"> {
  const found = await lookUpPage(service, token);
  const state = getStateOfPage(found, service.clock());
  if (!found || state === "gone" || state === "expired") return "gone";
  if (state !== "at_bank") return "closed";
  const { scope, payment } = found;
  const charge = await service.store.findCharge(scope, payment.id);
  if (charge?.network !== service.simulator.name || charge.challengeUrl === null) return "closed";
  const due = { scope, payment, charge };
  await storeAnswer(service, service.simulator, due, service.simulator.endChallenge(isApproved));
  return "closed";
}

function isOwnChallenge({ payment, challengeUrl }: Exclude<CheckoutPage, { state: "gone" }>) {
  return challengeUrl === `${payment.redirect_url}/challenge`;
}
