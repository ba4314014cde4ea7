import { computeBackoff } from "../../runtime/time.ts";
import type { ActionOutcome } from "../networks/card-network.ts";
import { type Payment, failPayment, refund, succeedPayment } from "./payment-state.ts";

/** The next call of the network about a charge; `none` where its outcome is known. */
export type PendingAction = "charge" | "cancel" | "refund" | "none";

/**
 * `attempts`: how many calls in a row had no usable answer. `dueAtMs`: the time of the next call, null where nothing
 * is pending. `challengeUrl`: where the bank asks the customer (3-D Secure), null where it does not, or no longer.
 * `challengedAtMs`: when it first did, which stays.
 */
export type ChargeState = {
  pendingAction: PendingAction;
  reference: string | null;
  attempts: number;
  dueAtMs: number | null;
  challengeUrl: string | null;
  challengedAtMs: number | null;
};

/** The next state of a charge, and of its payment where that changes. */
export type ChargeStep = { charge: ChargeState; payment?: Payment };

const backoff = { minMs: 1_000, maxMs: 60 * 60 * 1_000 };

/** How long a customer may take at the bank; the charge is canceled then. */
const challengeMs = 60 * 60 * 1_000;

/** The charge of a payment that has just begun. */
export const newCharge = {
  pendingAction: "charge",
  reference: null,
  attempts: 0,
  challengeUrl: null,
  challengedAtMs: null,
} as const satisfies Partial<ChargeState>;

/**
 * The state machine of a charge. The pending action, the payment's state and the network's answer decide what is
 * written and which call comes next. It is the same for every network, the simulator included, and for every caller:
 * a request, a payment page, the job that settles due charges.
 */
export function nextChargeStep(
  { payment, charge }: { payment: Payment; charge: ChargeState },
  answer: ActionOutcome,
  nowMs: number,
): ChargeStep {
  const { pendingAction, reference, attempts, challengedAtMs } = charge;
  const at = Math.floor(nowMs / 1000);
  const settled = { attempts: 0, challengeUrl: null, challengedAtMs };
  const end = (next?: Payment, endReference = reference): ChargeStep => ({
    charge: { ...settled, pendingAction: "none", reference: endReference, dueAtMs: null },
    ...(next && { payment: next }),
  });
  const cancel = (next?: Payment): ChargeStep => ({
    charge: { ...settled, pendingAction: "cancel", reference, dueAtMs: nowMs },
    ...(next && { payment: next }),
  });
  /** The payment fails before its charge is canceled, so its decline code does not depend on who cancels it. */
  const failUnauthenticated = (): ChargeStep => {
    if (payment.status !== "pending") throw new Error("Nothing to charge.");
    return cancel(failPayment(payment, "authentication_required", at));
  };
  // The payment has failed before its charge is known: the charge must be canceled or refunded.
  if (pendingAction === "charge" && payment.status === "failed") return cancel();
  // A bank that asks no more has the customer's answer: an unknown outcome is then asked for again.
  const isAsked =
    answer.outcome === "action" || (answer.outcome === "unknown" && charge.challengeUrl !== null);
  const endsAtMs = (challengedAtMs ?? nowMs) + challengeMs;
  if (isAsked && pendingAction === "charge" && nowMs >= endsAtMs) return failUnauthenticated();

  switch (answer.outcome) {
    case "approved":
      if (payment.status !== "pending" || !payment.card) throw new Error("Nothing to charge.");
      return end(succeedPayment(payment, payment.card, at), answer.reference);
    case "declined":
      if (pendingAction === "refund") return end();
      if (payment.status !== "pending") throw new Error("Nothing to charge.");
      return end(failPayment(payment, answer.code, at));
    case "canceled":
      return end(
        payment.status === "pending" ? failPayment(payment, "processing_error", at) : undefined,
      );
    case "not_found":
      // The request may still be on its way: only a cancel makes sure that no money is taken.
      return cancel();
    case "refunded": {
      const refunded = refund(payment, at);
      if (typeof refunded === "string") throw new Error(`A refund was made: ${refunded}.`);
      return end(refunded);
    }
    case "action": {
      const { url, retryAfterMs } = answer;
      // Without a payment page there is no customer to be asked.
      if (url === null || payment.redirect_url === null) return failUnauthenticated();
      return {
        charge: {
          pendingAction,
          reference: answer.reference,
          attempts: 0,
          dueAtMs: Math.min(nowMs + retryAfterMs, endsAtMs),
          challengeUrl: url,
          challengedAtMs: challengedAtMs ?? nowMs,
        },
      };
    }
    case "processing": {
      const { reference: named = reference, retryAfterMs } = answer;
      const dueAtMs = nowMs + retryAfterMs;
      return { charge: { ...settled, pendingAction, reference: named, dueAtMs } };
    }
    case "unknown": {
      if (answer.isUnsent) {
        return { charge: { ...charge, dueAtMs: nowMs + backoff.minMs } };
      }
      const retryAtMs = nowMs + computeBackoff(attempts, backoff);
      const dueAtMs = charge.challengeUrl === null ? retryAtMs : Math.min(retryAtMs, endsAtMs);
      return { charge: { ...charge, attempts: attempts + 1, dueAtMs } };
    }
    default:
      return answer satisfies never;
  }
}
