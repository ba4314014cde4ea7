import { cardNumberPhrase, containsCardNumber } from "./card-in-text.ts";

export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** The mistake in the value of an Idempotency-Key header, if any (specification: Idempotency). */
export function findIdempotencyKeyMistake(key: string): string | undefined {
  if (!idempotencyKeyPattern.test(key)) {
    return "must be 1 to 255 visible ASCII characters, without spaces";
  }
  return containsCardNumber(key) ? cardNumberPhrase : undefined;
}

/** In each live response of a service without a card network: its live payments are simulated, and no money moves. */
export const networkHeader = "service-network";
export const simulatorName = "simulator";

/** In the response with a payment whose customer is at the bank, which asks for a confirmation (3-D Secure). */
export const progressHeader = "payment-progress";
export const atBank = "at_bank";

/** On each page of the checkout: the id and the mode of its payment, for programs that walk the page. */
export const pagePaymentHeader = "payment-id";
export const pageModeHeader = "payment-mode";

/** In each response of a sandbox: the mode of its clock, whose time is in `Date`. No other service sends it. */
export const sandboxClockHeader = "sandbox-clock";

/** Every released version of the API, oldest first. */
export const versions = ["2026-11-01"] as const;
export type Version = (typeof versions)[number];
export const newestVersion: Version = versions.at(-1) ?? versions[0];

/** The mistake in the value of a Service-Version header, if any (specification: Versioning). */
export function findVersionMistake(date: string): string | undefined {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(date) ? new Date(date) : new Date(Number.NaN);
  const isReal = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
  return isReal ? undefined : "must be a date written YYYY-MM-DD, such as 2026-11-01";
}

/** The newest version released on or before a date, else the oldest one. */
export function findVersion(date: string): Version {
  return versions.findLast((version) => version <= date) ?? versions[0];
}
