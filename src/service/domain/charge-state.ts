import type { DeclineCode } from "../../contract/payment-values.ts";
import { computeBackoff } from "../../runtime/backoff.ts";
import { failPayment, refund, succeedPayment, type Payment } from "./payment-state.ts";

/** The next call of the network about a charge; `none` where its outcome is known. */
export type PendingAction = "charge" | "cancel" | "refund" | "none";

/**
 * `attempts`: how many calls in a row had no usable answer. `dueAtMs`: the time of the next call, null where nothing
 * is pending.
 */
export type ChargeState = {
  pendingAction: PendingAction;
  reference: string | null;
  attempts: number;
  dueAtMs: number | null;
};

/**
 * The outcome is not known, and the call is repeated. `reason` holds no card data. `isUnsent`: the request was not
 * sent. `isRefused`: the network refused our secret, so an operator has to act. `isInvalid`: the network works, but
 * rejects this request. `isMismatched`: the answer is about another charge, so an operator has to act.
 */
export type Unknown = {
  outcome: "unknown";
  reason: string;
  isUnsent?: true;
  isRefused?: true;
  isInvalid?: true;
  isMismatched?: true;
};
/** `isMasked`: the network's reference or code held a card number, which is masked. */
type Masked = { isMasked?: true };
type Processing = Masked & {
  outcome: "processing";
  reference?: string;
  retryAfterMs: number;
};
/** `networkCode`: the network's own code, for the log, where none of ours translates it. */
export type Declined = Masked & { outcome: "declined"; code: DeclineCode; networkCode?: string };
export type ChargeOutcome =
  | (Masked & { outcome: "approved"; reference: string })
  | Declined
  | Processing
  | Unknown;
/** `not_found`: the network never received that charge. */
export type LookUpOutcome = ChargeOutcome | { outcome: "canceled" } | { outcome: "not_found" };
export type CancelOutcome = { outcome: "canceled" } | Processing | Unknown;
export type RefundOutcome =
  | (Masked & { outcome: "refunded"; reference: string })
  | Declined
  | Processing
  | Unknown;
export type ActionOutcome = LookUpOutcome | CancelOutcome | RefundOutcome;

/** The next state of a charge, and of its payment where that changes. */
export type ChargeStep = { charge: ChargeState; payment?: Payment };

const backoff = { minMs: 1_000, maxMs: 60 * 60 * 1_000 };

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
  const { pendingAction, reference, attempts } = charge;
  const at = Math.floor(nowMs / 1000);
  const end = (next?: Payment, endReference = reference): ChargeStep => ({
    charge: { pendingAction: "none", reference: endReference, attempts: 0, dueAtMs: null },
    ...(next && { payment: next }),
  });
  const cancel: ChargeStep = {
    charge: { pendingAction: "cancel", reference, attempts: 0, dueAtMs: nowMs },
  };
  // The payment has failed before its charge is known: the charge must be canceled or refunded.
  if (pendingAction === "charge" && payment.status === "failed") return cancel;

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
      return cancel;
    case "refunded": {
      const refunded = refund(payment, at);
      if (typeof refunded === "string") throw new Error(`A refund was made: ${refunded}.`);
      return end(refunded);
    }
    case "processing": {
      const { reference: named = reference, retryAfterMs } = answer;
      const dueAtMs = nowMs + retryAfterMs;
      return { charge: { pendingAction, reference: named, attempts: 0, dueAtMs } };
    }
    case "unknown": {
      if (answer.isUnsent) {
        return { charge: { ...charge, dueAtMs: nowMs + backoff.minMs } };
      }
      const dueAtMs = nowMs + computeBackoff(attempts, backoff);
      return { charge: { ...charge, attempts: attempts + 1, dueAtMs } };
    }
    default:
      return answer satisfies never;
  }
}
