import type { PaymentList } from "../../../src/contract/list-object.ts";
import type { Payment } from "../../../src/contract/payment.ts";

/** Payments in pages of 100, and the number of requested pages. */
export function createPages(payments: Payment[]) {
  let loaded = 0;
  async function* pages(): AsyncGenerator<PaymentList> {
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
  return { pages, loaded: () => loaded };
}
