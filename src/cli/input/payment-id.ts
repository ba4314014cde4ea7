import { paymentIdPattern } from "../../contract/payment.ts";
import { usageError } from "../endings/exit-codes.ts";

const maxLength = 255;

/**
 * Refuses what cannot be a payment's id, before it becomes part of an address: those are logged wherever
 * they pass, and a key or a card number may have been typed.
 */
export function checkedPaymentId<Id extends string | undefined>(id: Id, name: string): Id {
  if (id === undefined || isPaymentId(id)) return id;
  if (id.trim() === "") throw usageError(`${name} is empty.`, "payments list shows the ids.");
  if (id.length > maxLength) {
    throw usageError(
      `${name} is longer than ${maxLength} characters, which no id of a payment is. Nothing was sent.`,
      "payments list shows the ids.",
    );
  }
  throw usageError(
    `${name} must be the id of a payment, such as pay_0199…. Nothing was sent.`,
    "payments list shows the ids.",
  );
}

/** Whether a text can be a payment's id. */
export function isPaymentId(text: string): boolean {
  return text.length <= maxLength && paymentIdPattern.test(text);
}
