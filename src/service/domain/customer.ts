import type { CreatePaymentBody, Payment } from "../../contract/payment.ts";

/** The customer as answers show it: named by first and last name, else by `otherName`. */
export function customerOf(
  input: CreatePaymentBody["customer"],
  otherName: string | null | undefined,
): Payment["customer"] {
  const name = [input?.first_name, input?.last_name].filter((part) => part).join(" ");
  return { email: input?.email ?? "", name: name || (otherName ?? "") };
}
