import type { List } from "../../contract/list-object.ts";
import type { Payment } from "../../contract/payment.ts";
import { escapeControls } from "./safe-text.ts";

export function describeWait({ id, livemode, redirect_url }: Payment, timeout: string): string {
  if (redirect_url !== null) return `Waiting up to ${timeout} for the customer to pay …`;
  return livemode
    ? `Waiting up to ${timeout} for the bank to decide on ${escapeControls(id)} …`
    : `Waiting up to ${timeout} for the outcome of ${escapeControls(id)} …`;
}

/** Undefined for a payment without a page. */
export function describePage({ redirect_url }: Payment): string | undefined {
  return redirect_url === null ? undefined : `The customer pays at ${escapeControls(redirect_url)}`;
}

/** Tells the user how to get the next page in the same direction. */
export function describeNextPage(
  list: List<{ id: string }>,
  query: { ending_before?: string | undefined },
): string {
  return query.ending_before === undefined
    ? `There are older ones: --starting-after ${escapeControls(list.data.at(-1)?.id ?? "")}, or --all`
    : `There are newer ones: --ending-before ${escapeControls(list.data.at(0)?.id ?? "")}`;
}
