import type { Payment, PaymentStatus } from "../../contract/payment.ts";
import { formatMoney } from "../../contract/field-values.ts";
import { canceled, type Prompter } from "./prompter.ts";

/** A change of one payment that a command asks about first, and its words. */
export type PaymentChange = {
  verb: "refund" | "cancel";
  /** With its article, at the beginning of a sentence. */
  noun: string;
  participle: string;
  /** The payments that can be changed, in words and by their status. */
  kind: string;
  status: PaymentStatus;
  /** Whether a payment is offered where the user chooses one. */
  isOffered: (payment: Payment) => boolean;
  /** Whether the service may change a payment; if not, it says why without a question before. */
  mayChange: (payment: Payment) => boolean;
  ask: (amount: string) => string;
  /** The error after an answer that is not yes. */
  refused: string;
};

export const refunding: PaymentChange = {
  verb: "refund",
  noun: "A refund",
  participle: "refunded",
  kind: "succeeded payment",
  status: "succeeded",
  isOffered: ({ status }) => status === "succeeded",
  // A pending one may succeed at any moment.
  mayChange: ({ status }) => status === "succeeded" || status === "pending",
  ask: (amount) => `Refund ${amount}?`,
  refused: "Canceled; nothing was refunded.",
};

export const canceling: PaymentChange = {
  verb: "cancel",
  noun: "A cancellation",
  participle: "canceled",
  kind: "pending payment with an open page",
  status: "pending",
  isOffered: ({ status, redirect_url: page, card }) =>
    status === "pending" && page !== null && card === null,
  mayChange: ({ status, redirect_url: page }) => status === "pending" && page !== null,
  ask: (amount) => `Cancel the payment of ${amount}?`,
  refused: "You did not confirm; the payment was not canceled.",
};

/**
 * Asks whether to change a payment. Errors: `canceled`, unless the answer is yes. In live mode the user types the
 * amount, so that no slip of a key changes a real payment.
 */
export async function confirmChange(
  prompter: Prompter,
  payment: Payment,
  { verb, ask, participle, refused }: PaymentChange,
): Promise<void> {
  const amount = formatMoney(payment.amount, payment.currency);
  if (!payment.livemode) {
    if (await prompter.confirm(ask(amount))) return;
    throw canceled(refused);
  }
  const typed = await prompter.text(`Live mode. Type the amount, ${amount}, to ${verb} it:`);
  const answer = typed.trim().toUpperCase();
  if (answer === amount || answer === amount.split(" ", 1)[0]) return;
  throw canceled(
    answer === "" ? refused : `The typed amount is not ${amount}; nothing was ${participle}.`,
  );
}
