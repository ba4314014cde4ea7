import { declineCodes, type Payment } from "../../contract/payment.ts";
import { CommandError, exitCodes, usageError } from "../endings/exit-codes.ts";

/** What `--expect` may name: a status in which a payment can end, or a decline code. */
export const outcomes: readonly string[] = ["succeeded", "failed", "refunded", ...declineCodes];

export function checkedExpectation(expected: string | undefined): string | undefined {
  if (expected === undefined || outcomes.includes(expected)) return expected;
  throw usageError(`--expect must be one of ${outcomes.join(", ")}.`);
}

type Wanted = { wait: boolean; expect: string | undefined };

/** What is wrong with how a payment ended, if anything: still pending, failed, or not as expected. */
export function disappointment(payment: Payment, wanted: Wanted): CommandError | undefined {
  const error = wrong(payment, wanted);
  if (error) error.declineCode = payment.decline_code;
  return error;
}

function wrong(payment: Payment, wanted: Wanted): CommandError | undefined {
  const { status, decline_code } = payment;
  if (!wanted.wait && wanted.expect === undefined) return undefined;
  if (status === "pending") {
    return new CommandError(
      exitCodes.stillPending,
      "The payment is still pending.",
      `Look again later with payments get ${payment.id}, or wait longer with --timeout.`,
    );
  }
  if (wanted.expect !== undefined) {
    if (wanted.expect === status || wanted.expect === decline_code) return undefined;
    const outcome = decline_code === null ? status : `${status} (${decline_code})`;
    return new CommandError(
      exitCodes.notAsExpected,
      `The payment was expected to end as ${wanted.expect}, but it is ${outcome}.`,
    );
  }
  if (status !== "failed") return undefined;
  return new CommandError(
    exitCodes.notAsExpected,
    `The payment failed (${decline_code}): ${payment.decline_message}`,
  );
}
