import { declineCodes } from "../../contract/field-values.ts";
import type { Payment } from "../../contract/payment.ts";
import { parseDurationText } from "../../runtime/time.ts";
import { CommandError, usageError } from "../output/command-error.ts";

/** The values of `--expect`: the statuses in which a payment can end, and the decline codes. */
export const expectedOutcomes: readonly string[] = [
  "succeeded",
  "failed",
  "refunded",
  ...declineCodes,
];

/** The settings for waiting for a payment's outcome. */
export type WaitSettings = {
  waits: boolean;
  /** The only outcome that counts as success; undefined: any that is no failure. */
  expected: string | undefined;
  /** As the user typed it, for messages. */
  timeout: string;
  timeoutMs: number;
};

type Flags = {
  wait: boolean;
  expect?: string | undefined;
  timeout?: string | undefined;
  hosted?: boolean | undefined;
};

/** Parses the flags for waiting. The default timeout is longer for a customer on a page than for a card network. */
export function parseWaitFlags({ wait, expect: expected, timeout, hosted }: Flags): WaitSettings {
  if (expected !== undefined && !expectedOutcomes.includes(expected)) {
    throw usageError(`--expect must be one of ${expectedOutcomes.join(", ")}.`);
  }
  const limit = timeout ?? (hosted ? "15m" : "30s");
  const waits = wait || expected !== undefined;
  return { waits, expected, timeout: limit, timeoutMs: parseDuration(limit, "--timeout") };
}

/**
 * The error for a payment that is still pending, failed, or did not end as expected; else undefined. `target`: the flags
 * by which another command reaches the payment.
 */
export function unmetExpectation(
  payment: Payment,
  waiting: Pick<WaitSettings, "waits" | "expected">,
  target: string,
): CommandError | undefined {
  const error = findOutcomeError(payment, waiting, target);
  if (error) error.declineCode = payment.decline_code;
  return error;
}

function findOutcomeError(
  payment: Payment,
  { waits, expected }: Pick<WaitSettings, "waits" | "expected">,
  target: string,
): CommandError | undefined {
  const { status, decline_code } = payment;
  if (!waits) return undefined;
  if (status === "pending") {
    return new CommandError(
      "still_pending",
      "The payment is still pending.",
      `Look again later with payments get ${payment.id}${target}, or wait longer with --timeout.`,
    );
  }
  if (expected !== undefined) {
    if (expected === status || expected === decline_code) return undefined;
    const outcome = decline_code === null ? status : `${status} (${decline_code})`;
    return new CommandError(
      "not_as_expected",
      `The payment was expected to end as ${expected}, but it is ${outcome}.`,
    );
  }
  if (status !== "failed") return undefined;
  return new CommandError(
    "not_as_expected",
    `The payment failed (${decline_code}): ${payment.decline_message}`,
  );
}

/** Parses a duration such as `500ms`, `2s`, `5m`, `24h` or `7d`, at most `max`, into milliseconds. */
export function parseDuration(text: string, flag: string, max?: string): number {
  const ms = parseDurationText(text);
  if (ms === undefined) {
    throw usageError(`${flag} must be a duration such as 500ms, 2s, 5m, 24h or 7d.`);
  }
  if (max !== undefined && ms > parseDuration(max, flag)) {
    throw usageError(`${flag} must be at most ${max}.`);
  }
  return ms;
}
