import type { List } from "../../contract/list-object.ts";
import type { Payment } from "../../contract/payment.ts";
import { safeText } from "./safe-text.ts";

/** What is waited for. */
export function waitingText({ id, livemode, redirect_url }: Payment, timeout: string): string {
  if (redirect_url !== null) return `Waiting up to ${timeout} for the customer to pay …`;
  return livemode
    ? `Waiting up to ${timeout} for the bank to decide on ${safeText(id)} …`
    : `Waiting up to ${timeout} for the outcome of ${safeText(id)} …`;
}

/** Where the customer pays; undefined for a payment that has no page. */
export function pageText({ redirect_url }: Payment): string | undefined {
  return redirect_url === null ? undefined : `The customer pays at ${safeText(redirect_url)}`;
}

/** How to get the page that follows in the direction of travel. */
export function nextPageHint(
  list: List<{ id: string }>,
  query: { ending_before?: string | undefined },
): string {
  return query.ending_before === undefined
    ? `There are older ones: --starting-after ${safeText(list.data.at(-1)?.id ?? "")}, or --all`
    : `There are newer ones: --ending-before ${safeText(list.data.at(0)?.id ?? "")}`;
}
