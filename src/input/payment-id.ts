import { usageError } from "../exit-codes.ts";

/** Refuses an id that a script has left empty; whether any other exists, the API says. */
export function checkedPaymentId(id: string): string {
  if (id.trim() !== "") return id;
  throw usageError("The id of the payment is empty.", "payments list shows the ids.");
}
