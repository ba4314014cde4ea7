import type { Stripe } from "stripe";
import { mask } from "../../contract/mask.ts";
import type { Declined, Unknown } from "../domain/charge-state.ts";
import type { Charge } from "../ports/card-network.ts";
import { genericDecline } from "./http-answers.ts";
import { replayedHeader } from "./stripe-requests.ts";
import { assertIsOwn, toDecline, MismatchedAnswer } from "./stripe-intent.ts";

const maxReasonLength = 200;

/** Calls Stripe; an error becomes an unknown outcome. */
export async function callStripe<T>(call: () => Promise<T>): Promise<T | Unknown> {
  try {
    return await call();
  } catch (error) {
    const status = isStripeError(error) ? error.statusCode : undefined;
    return {
      ...toUnknown(toReason(error)),
      ...((status === 401 || status === 403) && { isRefused: true }),
      ...(status === 400 && { isInvalid: true }),
      ...(error instanceof MismatchedAnswer && { isMismatched: true }),
    };
  }
}

export function toUnknown(reason: string): Unknown {
  return { outcome: "unknown", reason };
}

/** Leaves out Stripe's message, which may hold card data. */
function toReason(error: unknown): string {
  if (error instanceof MismatchedAnswer) return error.message;
  if (Error.isError(error) && error.name === "ZodError")
    return "the answer is none that this version of the API has";
  if (!isStripeError(error)) return `the library failed: ${(error as Error).name}`;
  if (Error.isError(error.detail)) return mask(error.detail.message);
  const { statusCode, rawType, code, param } = error;
  const words = [`HTTP ${statusCode}`, rawType, code, param];
  return mask(words.filter(Boolean).join(", ")).slice(0, maxReasonLength);
}

/** How a card was declined. Errors: the error itself, where no card was declined. */
export function toDeclined(charge: Charge, error: unknown): Declined {
  const isCardError = isStripeError(error) && error.type === "StripeCardError"; // of any 402
  const decline = isCardError && toDecline({ ...error, type: error.rawType ?? "" });
  if (!decline) throw error;
  assertIsOwn(charge, error.payment_intent ?? {});
  return decline;
}

/** How a refund was refused. Errors: the error itself, where it may have been made. */
export function toRefundDeclined(charge: Charge, error: unknown): Declined {
  const isRefusal =
    isStripeError(error) &&
    (error.type === "StripeInvalidRequestError" || error.type === "StripeCardError");
  if (!isRefusal || error.code === "charge_already_refunded") throw error;
  assertIsOwn(charge, error.payment_intent ?? {});
  return genericDecline(error.code ?? error.rawType ?? "");
}

/** Whether Stripe repeats this error for as long as it stores the idempotency key. */
export function isFinal(error: unknown): boolean {
  if (!isStripeError(error) || error.type === "StripeRateLimitError") return false;
  return error.statusCode === 400 || error.headers?.[replayedHeader] === "true";
}

/** Whether Stripe answered that there is no such object. */
export function isMissing(error: unknown): boolean {
  return isStripeError(error) && error.statusCode === 404;
}

/** Every error of the library, and no other, has what Stripe calls its type. */
function isStripeError(error: unknown): error is Stripe.errors.StripeError {
  return Error.isError(error) && "rawType" in error;
}
