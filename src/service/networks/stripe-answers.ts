import type { Stripe } from "stripe";
import * as z from "zod";
import { containsCardNumber } from "../../contract/card-in-text.ts";
import { mask } from "../../contract/mask.ts";
import type { DeclineCode } from "../../contract/field-values.ts";
import type { Charge, Declined, Unknown } from "./card-network.ts";
import { challengeUrl, genericDecline, reference } from "./network-answers.ts";

const listedRefund = z.object({ id: reference, amount: z.number(), status: z.string().nullable() });
export const refundAnswer = listedRefund.extend({
  currency: z.string(),
  payment_intent: z.string().nullish(),
});
const stripeError = z.object({
  type: z.string(),
  code: z.string().nullish(),
  decline_code: z.string().nullish(),
});
const redirect = z
  .object({
    type: z.literal("redirect_to_url"),
    redirect_to_url: z.object({ url: challengeUrl }),
  })
  .transform((action) => action.redirect_to_url.url);
const intentStatus = z.enum([
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "requires_capture",
  "processing",
  "succeeded",
  "canceled",
]);

/** The identity of an intent. Calls of Stripe need the id, which therefore cannot be masked. */
export const namedIntent = z.object({
  id: reference.refine((id) => !containsCardNumber(id)),
  amount: z.number(),
  currency: z.string(),
  metadata: z.object({ payment_id: z.string().default("") }).prefault({}),
});

/** An intent whose charge and refunds are expanded. */
export const intentAnswer = namedIntent.extend({
  object: z.literal("payment_intent"),
  status: intentStatus,
  cancellation_reason: z.string().nullish(),
  last_payment_error: stripeError.nullish(),
  /** The bank's page for the customer; null where there is no next action, or it is another. */
  next_action: redirect.nullable().catch(null),
  latest_charge: z.object({ refunds: z.object({ data: z.array(listedRefund) }) }).nullish(),
});
export const canceledAnswer = namedIntent.extend({ status: z.literal("canceled") });
export const namedAnswer = z.object({ id: reference });

const sourceMetadata = z.object({ payment_id: z.string().max(255).default("") }).nullish();

/**
 * The source of a balance transaction: a charge, a refund or a dispute, whose intent is expanded; or something else.
 */
const source = z.object({
  amount: z.number().optional(),
  currency: z.string().optional(),
  metadata: sourceMetadata,
  payment_intent: z.object({ metadata: sourceMetadata }).nullish().catch(null),
});
const balanceTransaction = z.object({
  id: reference,
  amount: z.number(),
  currency: z.string(),
  created: z.int(),
  reporting_category: z.string(),
  source: source.nullish().catch(null),
});
export const transactionsAnswer = z.object({
  data: z.array(balanceTransaction),
  has_more: z.boolean(),
});

export type Intent = z.infer<typeof intentAnswer>;
export type Refund = z.infer<typeof listedRefund>;
export type BalanceTransaction = z.infer<typeof balanceTransaction>;
type StripeCardError = z.infer<typeof stripeError>;

/** Stripe's answer is about another intent than the charge's; the message says which field differs. */
class MismatchedAnswer extends Error {
  override name = "MismatchedAnswer";
}

/**
 * Throws where a field of an intent differs from the charge. Where the charge has no reference yet, any id is
 * accepted. Errors: MismatchedAnswer.
 */
export function assertIsOwn(
  charge: Charge,
  intent: Partial<Omit<z.infer<typeof namedIntent>, "metadata">> & {
    metadata?: Record<string, string>;
  },
): void {
  assertSame("amount", charge.amount, intent.amount);
  assertSame("currency", charge.currency, intent.currency);
  assertSame("metadata.payment_id", charge.id, intent.metadata?.["payment_id"]);
  if (charge.reference !== null) assertSame("id", charge.reference, intent.id);
}

/** Throws where a refund is of another intent, or of more than was charged. Errors: MismatchedAnswer. */
export function assertIsRefundOf(
  { amount, currency }: Charge,
  intentId: string,
  refunded: z.infer<typeof refundAnswer>,
): void {
  assertSame("payment_intent", intentId, refunded.payment_intent ?? undefined);
  assertSame("currency", currency, refunded.currency);
  if (refunded.amount > amount) assertSame("amount", amount, refunded.amount);
}

function assertSame<V>(field: string, expected: V, found: V | undefined): void {
  if (found === undefined || found === expected) return;
  throw new MismatchedAnswer(`the answer is about another intent: its ${field} differs`);
}

/** Marks an intent that was canceled because its bank requires the customer's authentication. */
export const authenticationCancelReason = "abandoned";

export type IntentState =
  /** No card has been charged. */
  | { state: "open" }
  | { state: "declined"; decline: Declined }
  /** The bank requires the customer's authentication, at `url`; null where no browser can be sent there. */
  | { state: "unconfirmed"; url: string | null }
  | { state: "processing" }
  /** `failedRefund`: the last one, which failed. */
  | { state: "charged"; failedRefund?: Refund }
  | { state: "refunding" }
  | { state: "refunded"; refund: Refund }
  /** `decline`: the reason, where the service did not cancel it itself. */
  | { state: "canceled"; decline?: Declined };

export function getIntentState(intent: Intent): IntentState {
  switch (intent.status) {
    case "requires_action":
      return { state: "unconfirmed", url: intent.next_action };
    case "processing":
      return { state: "processing" };
    case "succeeded":
      return getChargedState(intent);
    case "canceled":
      return intent.cancellation_reason === authenticationCancelReason
        ? { state: "canceled", decline: authenticationRequired }
        : { state: "canceled" };
    default: {
      // A card may be sent, or sent again.
      const decline = intent.last_payment_error && toDecline(intent.last_payment_error);
      return decline ? { state: "declined", decline } : { state: "open" };
    }
  }
}

function getChargedState({ amount, latest_charge }: Intent): IntentState {
  const refunds = latest_charge?.refunds.data ?? [];
  const [last] = refunds;
  if (!last) return { state: "charged" };
  if (sumRefunds(refunds, ["done"]) >= amount) return { state: "refunded", refund: last };
  if (sumRefunds(refunds, ["done", "pending"]) >= amount) return { state: "refunding" };
  return getRefundProgress(last) === "failed"
    ? { state: "charged", failedRefund: last }
    : { state: "charged" };
}

type Progress = "done" | "pending" | "failed";

export function getRefundProgress({ status }: Refund): Progress {
  if (status === "succeeded") return "done";
  return status === "failed" || status === "canceled" ? "failed" : "pending";
}

function sumRefunds(refunds: Refund[], progress: Progress[]): number {
  return refunds
    .filter((refund) => progress.includes(getRefundProgress(refund)))
    .reduce((sum, { amount }) => sum + amount, 0);
}

export const authenticationRequired: Declined = {
  outcome: "declined",
  code: "authentication_required",
};

/** The decline codes that Stripe shares with this API. */
const sharedCodes: readonly DeclineCode[] = [
  "generic_decline",
  "insufficient_funds",
  "expired_card",
  "authentication_required",
];

/** The customer failed at the bank, or refused. Stripe's type of this error is that of an invalid request. */
const authenticationFailure = "payment_intent_authentication_failure";

/** The decline of a card; undefined where the error is no decline by a bank. */
function toDecline(error: StripeCardError): Declined | undefined {
  if (error.code === authenticationFailure) return authenticationRequired;
  const word = error.decline_code || error.code || ""; // the library has "" for a missing code
  if (error.type !== "card_error" || word === "processing_error") return undefined;
  const code = sharedCodes.find((same) => same === word);
  return code ? { outcome: "declined", code } : genericDecline(word);
}

/** The header of a stored answer that Stripe repeats for its idempotency key. */
export const replayedHeader = "idempotent-replayed";

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
