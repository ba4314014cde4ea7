import type { ListPaymentsQuery, PaymentList } from "../../../src/contract/list.ts";
import type { Payment } from "../../../src/contract/payment.ts";

/** Payments in pages of 100, the number of requested pages, and what was searched; a search finds `inHistory`. */
export function createPages(payments: Payment[], inHistory: Payment[] = []) {
  let loaded = 0;
  const searches: string[] = [];
  async function* pages({ search }: ListPaymentsQuery = {}): AsyncGenerator<PaymentList> {
    if (search !== undefined) {
      searches.push(search);
      yield { object: "list", url: "/v1/payments", data: inHistory, has_more: false };
      return;
    }
    for (let at = 0; at === 0 || at < payments.length; at += 100) {
      loaded += 1;
      yield {
        object: "list",
        url: "/v1/payments",
        data: payments.slice(at, at + 100),
        has_more: at + 100 < payments.length,
      };
    }
  }
  return { pages, searches, loaded: () => loaded };
}
