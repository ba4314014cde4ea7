import type { Payment } from "../../contract/payment.ts";
import { safeText } from "./safe-text.ts";

/** What is waited for, for a person to read. */
export function waitingText({ id, redirect_url }: Payment, timeout: string): string {
  return redirect_url === null
    ? `Waiting up to ${timeout} for the outcome of ${safeText(id)} …`
    : `Waiting up to ${timeout} for the customer to pay …`;
}

/** Where the customer pays, for a person to read; undefined for a payment that has no page. */
export function pageText({ redirect_url }: Payment): string | undefined {
  return redirect_url === null ? undefined : `The customer pays at ${safeText(redirect_url)}`;
}
