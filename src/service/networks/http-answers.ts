import * as z from "zod";
import { isLoopback } from "../../runtime/transport-safety.ts";
import { maskCardNumbers } from "../../contract/card-in-text.ts";
import { maskKeys } from "../../contract/mask.ts";
import { isStorable, isWithin } from "../../runtime/text.ts";
import { isDeclineCode } from "../domain/decline.ts";
import type { Declined } from "../domain/charge-state.ts";

// The answers of an adapter (docs/network-protocol.md), parsed into outcomes. Other fields are ignored.

const maxNetworkCodeLength = 100;

/** The network's own name for a charge or refund. */
export const reference = z.string().refine((value) => isStorable(value) && isWithin(value, 1, 255));

const approved = z.object({ outcome: z.literal("approved"), reference });
const canceled = z.object({ outcome: z.literal("canceled") });
const refunded = z.object({ outcome: z.literal("refunded"), reference });
const declined = z
  .object({ outcome: z.literal("declined"), code: z.string().min(1), message: z.string() })
  .transform(({ outcome, code }): Declined =>
    isDeclineCode(code) ? { outcome, code } : genericDecline(code),
  );

/** A decline with a code that only the network knows. */
export function genericDecline(code: string): Declined {
  const masked = maskCardNumbers(code);
  const networkCode = maskKeys(masked).slice(0, maxNetworkCodeLength);
  const decline = { outcome: "declined", code: "generic_decline", networkCode } as const;
  return masked === code ? decline : { ...decline, isMasked: true };
}

const secondsToMs = z
  .number()
  .min(1)
  .max(86_400)
  .transform((seconds) => Math.ceil(seconds * 1000));
const stillProcessing = z.object({
  outcome: z.literal("processing"),
  ask_again_in: secondsToMs,
});
const toProcessing = <A extends { ask_again_in: number }>({
  ask_again_in: retryAfterMs,
  ...rest
}: A) => ({
  ...rest,
  retryAfterMs,
});
const processing = stillProcessing.transform(toProcessing);
const processingCharge = stillProcessing.extend({ reference }).transform(toProcessing);

const maxChallengeUrlLength = 2_048;

/** The address of a bank's page for the customer's browser, as browsers write it; null where none may be sent there. */
export const challengeUrl = z.string().transform((text) => {
  const url = text.length > maxChallengeUrlLength ? null : URL.parse(text);
  const isUsable =
    url &&
    url.username === "" &&
    url.password === "" &&
    (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
  return isUsable && url.href.length <= maxChallengeUrlLength ? url.href : null;
});
const action = stillProcessing
  .extend({ outcome: z.literal("action"), reference, url: challengeUrl })
  .transform(toProcessing);

export const chargeAnswer = z.union([approved, declined, processingCharge, action]);
export const lookUpAnswer = z.union([approved, declined, processingCharge, action, canceled]);
export const cancelAnswer = z.union([canceled, processing]);
export const refundAnswer = z.union([refunded, declined, processing]);

/** The answer with 404 to the look-up of a charge that never arrived. */
export const notFoundAnswer = z
  .object({ outcome: z.literal("unknown") })
  .transform(() => ({ outcome: "not_found" as const }));
