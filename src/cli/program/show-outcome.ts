import type { SettledOptions } from "../../client/calls.ts";
import type { PaymentsClient } from "../../client/client.ts";
import type { Payment } from "../../contract/payment.ts";
import { escapeControls } from "../../runtime/text.ts";
import type { CommandError } from "../output/command-error.ts";
import { unmetExpectation, type WaitSettings } from "../flags/waiting.ts";
import type { BaseCommand, Output } from "./base-command.ts";

type Waiting = {
  waiting: WaitSettings;
  output: Output;
  signal: AbortSignal | undefined;
  /** Called first; if it fails, the payment is printed all the same. */
  announce?: () => Promise<void>;
};

/**
 * Waits for the outcome of a payment where the flags say so, and prints the payment in any case. Errors:
 * `still_pending`, and `not_as_expected`, where the outcome is another one.
 */
export async function showOutcome(
  command: BaseCommand,
  { payments }: PaymentsClient,
  found: Payment,
  { waiting, output, signal, announce }: Waiting,
): Promise<void> {
  let payment = found;
  let failure: CommandError | undefined;
  try {
    await announce?.();
    if (waiting.waits) {
      if (found.status === "pending" && process.stderr.isTTY) {
        command.note(describeWait(found, waiting.timeout), output);
      }
      payment = await payments.settled(found, waiting.timeoutMs, {
        signal,
        onProgress: (progress) => command.note(describeProgress(progress), output),
      });
    }
    failure = unmetExpectation(payment, waiting, command.target);
  } finally {
    // The payment exists even if waiting for its outcome failed.
    await command.showPayment(payment, output);
  }
  if (failure) throw failure;
}

/** Without the page's address the customer cannot pay: a terminal shows it beside JSON as well. */
export function notePage(command: BaseCommand, payment: Payment, output: Output): void {
  if (payment.status !== "pending" || payment.redirect_url === null) return;
  const page = `The customer pays at ${escapeControls(payment.redirect_url)}`;
  if (process.stderr.isTTY) process.stderr.write(`${page}\n`);
  else command.note(page, output);
}

function describeProgress(progress: Parameters<NonNullable<SettledOptions["onProgress"]>>[0]) {
  return progress === "at_bank"
    ? "The customer is at the bank, which asks for a confirmation."
    : "The customer is no longer at the bank.";
}

function describeWait({ id, livemode, card }: Payment, timeout: string): string {
  if (card === null) return `Waiting up to ${timeout} for the customer to pay …`;
  return livemode
    ? `Waiting up to ${timeout} for the bank to decide on ${escapeControls(id)} …`
    : `Waiting up to ${timeout} for the outcome of ${escapeControls(id)} …`;
}
