import type { Stripe } from "stripe";
import { newCharge, type Intent } from "./stripe-objects.ts";

// The effect of Stripe's test cards on an intent.

export type Card = { method: Stripe.PaymentMethod; number: string };

/** The outcomes of Stripe's test cards that are not approved. */
const fates: Record<string, Pick<Stripe.StripeRawError, "code" | "decline_code">> = {
  "4000000000000002": { code: "card_declined", decline_code: "generic_decline" },
  "4000000000009995": { code: "card_declined", decline_code: "insufficient_funds" },
  "4000000000009987": { code: "card_declined", decline_code: "lost_card" },
  "4000000000000069": { code: "expired_card", decline_code: "expired_card" },
  "4000000000000127": { code: "incorrect_cvc", decline_code: "incorrect_cvc" },
  "4000000000000119": { code: "processing_error", decline_code: "processing_error" },
  "4000008260003178": { code: "card_declined", decline_code: "insufficient_funds" },
  // A decline that none of Stripe's cards has.
  "4000000000001000": { code: "card_declined", decline_code: "authentication_required" },
};
/** A card whose refunds stay pending for a while. */
export const cardWithSlowRefunds = "4000000000007726";
/** A card whose bank asks the customer. */
export const cardRequiringAction = "4000002760003184";
/** A card whose bank asks the customer only through Stripe's script in the browser. */
export const cardRequiringScript = "4000000000003220";
/** A card that its bank declines after the customer has approved. */
export const cardDeclinedAfterAction = "4000008260003178";
/** A card that is processed for a while after the customer has approved; none of Stripe's. */
export const cardProcessedAfterAction = "4000002760004109";
export const cardsRequiringAction: ReadonlySet<string> = new Set([
  cardRequiringAction,
  cardRequiringScript,
  cardDeclinedAfterAction,
  cardProcessedAfterAction,
]);

/** Charges a card; returns the error where it is declined. */
export function chargeCard(
  intent: Intent,
  { method, number }: Card,
): Stripe.StripeRawError | undefined {
  const fate = fates[number];
  const charge = newCharge(intent, method, fate?.code);
  intent.latest_charge = charge;
  if (fate) {
    const details = { charge: charge.id, payment_method: method };
    const error = { type: "card_error", ...fate, ...details } as const;
    failAttempt(intent, error);
    return error;
  }
  if (number === cardProcessedAfterAction) {
    intent.status = "processing";
    Object.assign(charge, { paid: false, status: "pending" });
    return undefined;
  }
  intent.status = "succeeded";
  intent.amount_received = intent.amount;
  return undefined;
}

/** Ends the processing of a charge. */
export function endProcessing(intent: Intent): void {
  const charge = intent.latest_charge;
  if (intent.status !== "processing" || !charge) throw new Error("Nothing is processed.");
  intent.status = "succeeded";
  intent.amount_received = intent.amount;
  Object.assign(charge, { paid: true, status: "succeeded" });
}

/** The customer has failed at the bank, or refused: no charge is made. */
export function failAuthentication(intent: Intent, { method }: Card): void {
  failAttempt(intent, {
    type: "invalid_request_error",
    code: "payment_intent_authentication_failure",
    payment_method: method,
  });
}

/** Another card may be sent after an attempt that failed. */
function failAttempt(intent: Intent, error: Stripe.PaymentIntent.LastPaymentError): void {
  intent.status = "requires_payment_method";
  intent.payment_method = null;
  intent.last_payment_error = error;
}
