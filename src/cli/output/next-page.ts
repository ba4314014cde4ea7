import type { ListPaymentsQuery, PaymentList } from "../../contract/list.ts";
import { safeText } from "./safe-text.ts";

/** How to get the page that follows in the direction of travel. */
export function nextPageHint(list: PaymentList, query: ListPaymentsQuery): string {
  return query.ending_before === undefined
    ? `There are older ones: --starting-after ${safeText(list.data.at(-1)?.id ?? "")}, or --all`
    : `There are newer ones: --ending-before ${safeText(list.data.at(0)?.id ?? "")}`;
}
