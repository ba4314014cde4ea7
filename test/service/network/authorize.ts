import type { CardInput } from "../../../src/contract/payment.ts";
import type { AuthorizationAnswer, CardNetwork } from "../../../src/service/use-cases/ports.ts";
import { nowMs, unexpired } from "./card-fates.ts";

export async function authorize(
  network: CardNetwork,
  card: Partial<CardInput>,
): Promise<AuthorizationAnswer> {
  return await network.authorize({
    idempotencyKey: "acct_1/key",
    amount: 4999,
    currency: "eur",
    card: { number: "4242424242424242", ...unexpired, cvc: "987", ...card },
    atMs: nowMs,
  });
}

/** `approved`, or the code with which the network declines once it is asked again. */
export async function fateOf(network: CardNetwork, card: Partial<CardInput>): Promise<string> {
  const authorized = await authorize(network, card);
  if (authorized.outcome === "approved") return "approved";
  const answer = await network.outcomeOf(authorized.reference);
  return answer.outcome === "declined" ? answer.code : answer.outcome;
}
