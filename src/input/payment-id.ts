import { mask } from "../contract/mask.ts";
import { paymentIdPattern } from "../contract/payment.ts";
import { usageError } from "../exit-codes.ts";

/**
 * Refuses an id that a script has left empty, and a key or a card number in its place, which would be
 * sent as a part of an address and logged on the way. Whether any other exists, the API says.
 */
export function checkedPaymentId(id: string): string {
  if (id.trim() === "") {
    throw usageError("The id of the payment is empty.", "payments list shows the ids.");
  }
  if (!paymentIdPattern.test(id) && mask(id) !== id) {
    throw usageError(
      "A key or a card number is no id of a payment. Nothing was sent.",
      "payments list shows the ids.",
    );
  }
  return id;
}
