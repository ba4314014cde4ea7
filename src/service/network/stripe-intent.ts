import * as z from "zod";
import type { DeclineCode } from "../../contract/payment-values.ts";
import type { Declined } from "../use-cases/card-network.ts";
import { genericDecline, reference } from "./http-answers.ts";

// What Stripe tells of a PaymentIntent, and what that means for a charge.

export const refundAnswer = z.object({
  id: reference,
  amount: z.number(),
  status: z.string().nullable(),
});
const stripeError = z.object({
  type: z.string(),
  code: z.string().nullish(),
  decline_code: z.string().nullish(),
});
const intentStatus = z.enum([
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "requires_capture",
  "processing",
  "succeeded",
  "canceled",
]);

/** An intent whose charge and refunds are expanded. */
export const intentAnswer = z.object({
  id: reference,
  object: z.literal("payment_intent"),
  amount: z.number(),
  status: intentStatus,
  cancellation_reason: z.string().nullish(),
  last_payment_error: stripeError.nullish(),
  latest_charge: z.object({ refunds: z.object({ data: z.array(refundAnswer) }) }).nullish(),
});
export const canceledAnswer = z.object({ status: z.literal("canceled") });
/** What is read of any other object. */
export const namedAnswer = z.object({ id: reference });

export type Intent = z.infer<typeof intentAnswer>;
export type Refund = z.infer<typeof refundAnswer>;
type StripeCardError = z.infer<typeof stripeError>;

/** With this an intent is canceled whose bank asked for the customer, and with none any other. */
export const forAuthentication = "abandoned";

export type IntentState =
  /** No card has been charged. */
  | { state: "open" }
  | { state: "declined"; decline: Declined }
  /** The bank wants the customer to confirm the payment. */
  | { state: "unconfirmed" }
  | { state: "processing" }
  /** `failedRefund`: the last one by which it was to be given back. */
  | { state: "taken"; failedRefund?: Refund }
  | { state: "givingBack" }
  | { state: "givenBack"; refund: Refund }
  /** `decline`: why, where it was no cancel of ours. */
  | { state: "canceled"; decline?: Declined };

export function stateOf(intent: Intent): IntentState {
  switch (intent.status) {
    case "requires_action":
      return { state: "unconfirmed" };
    case "processing":
      return { state: "processing" };
    case "succeeded":
      return stateOfTaken(intent);
    case "canceled":
      return intent.cancellation_reason === forAuthentication
        ? { state: "canceled", decline: authenticationRequired }
        : { state: "canceled" };
    default: {
      // A card may be sent, or sent again.
      const decline = intent.last_payment_error && declineOf(intent.last_payment_error);
      return decline ? { state: "declined", decline } : { state: "open" };
    }
  }
}

function stateOfTaken({ amount, latest_charge }: Intent): IntentState {
  const refunds = latest_charge?.refunds.data ?? [];
  const [last] = refunds;
  if (!last) return { state: "taken" };
  if (sumOf(refunds, ["done"]) >= amount) return { state: "givenBack", refund: last };
  if (sumOf(refunds, ["done", "underWay"]) >= amount) return { state: "givingBack" };
  return progressOf(last) === "failed"
    ? { state: "taken", failedRefund: last }
    : { state: "taken" };
}

type Progress = "done" | "underWay" | "failed";

export function progressOf({ status }: Refund): Progress {
  if (status === "succeeded") return "done";
  return status === "failed" || status === "canceled" ? "failed" : "underWay";
}

function sumOf(refunds: Refund[], wanted: Progress[]): number {
  return refunds
    .filter((refund) => wanted.includes(progressOf(refund)))
    .reduce((sum, { amount }) => sum + amount, 0);
}

export const authenticationRequired: Declined = {
  outcome: "declined",
  code: "authentication_required",
};

/** The declines that Stripe calls as we do. */
const sameCodes: readonly DeclineCode[] = [
  "generic_decline",
  "insufficient_funds",
  "expired_card",
  "authentication_required",
];

/** How a card was declined; undefined where no bank has declined it, but something went wrong. */
export function declineOf(error: StripeCardError): Declined | undefined {
  const word = error.decline_code || error.code || ""; // the library says "" of what is missing
  if (error.type !== "card_error" || word === "processing_error") return undefined;
  const code = sameCodes.find((same) => same === word);
  return code ? { outcome: "declined", code } : genericDecline(word);
}
