import { expect, onTestFinished } from "vitest";
import { createStripeNetwork } from "../../../src/service/networks/stripe-network.ts";
import type { CardNetwork, Charge } from "../../../src/service/networks/card-network.ts";
import { cardWith, chargeWith } from "./charge-with.ts";
import { cardRequiringAction } from "./stripe-cards.ts";
import { secretKey, startStripeStandIn } from "./stripe-stand-in.ts";

export const returnUrl = "https://payments.example.com/pay/page_1/return";

/** A network at a stand-in for Stripe of its own. */
export async function openStripe(
  special: { key?: string; timeoutMs?: number; nowMs?: number } = {},
) {
  const { key = secretKey, nowMs, ...others } = special;
  const stripe = await startStripeStandIn();
  const network = createStripeNetwork({
    secretKey: key,
    version: "1.2.3",
    baseUrl: stripe.url,
    ...others,
    ...(nowMs !== undefined && { clock: () => nowMs }),
  });
  onTestFinished(async () => network.close());
  const calls = () => stripe.requests.map(({ operation }) => operation);
  /** The one intent of a charge. */
  const intentOf = ({ id }: Charge) => {
    const [intent, another] = stripe.account.of(id);
    if (!intent || another) throw new Error(`${id} has no intent, or two.`);
    return intent;
  };
  const refundsOf = (charge: Charge) => intentOf(charge).latest_charge?.refunds.data ?? [];
  return { stripe, network, calls, intentOf, refundsOf };
}

/** A charge whose intent is made, as the service makes it before it sends the card. */
export async function prepareCharge(
  network: CardNetwork,
  fields: Partial<Charge> = {},
): Promise<Charge> {
  const charge = chargeWith(fields);
  const named = await network.prepare?.(charge);
  return { ...charge, reference: named?.outcome === "prepared" ? named.reference : null };
}

/** A charge whose customer the bank asks, at `url`. */
export async function openChallenge(number = cardRequiringAction) {
  const opened = await openStripe();
  const { network, intentOf } = opened;
  const charge = await prepareCharge(network, { returnUrl });
  const { reference } = charge;
  const answer = await network.charge(charge, cardWith({ number }));
  const url = intentOf(charge).next_action?.redirect_to_url?.url ?? "";
  const action = { outcome: "action", reference, url, retryAfterMs: 60_000 };
  expect(answer).toEqual(action);
  return { ...opened, charge, url, action, approved: { outcome: "approved", reference } };
}
