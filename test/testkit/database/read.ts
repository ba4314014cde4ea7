import { simulatorName } from "../../../src/contract/headers.ts";
import type { Payment } from "../../../src/service/payments/payment-state.ts";
import type { Scope } from "../../../src/service/database/scope.ts";
import type { PaymentJson } from "../../../src/contract/payment.ts";
import type { PageRequest } from "../../../src/service/search/payment-search.ts";
import type { Store } from "../../../src/service/ports/ports.ts";

// The store returns payments in JSON; a test compares the parsed value.

export function parsePayment(json: PaymentJson): Payment {
  return JSON.parse(json) as Payment;
}

export async function readPayment(store: Store, scope: Scope, id: string) {
  const json = await store.findPayment(scope, id);
  return json === undefined ? undefined : parsePayment(json);
}

export async function readPage(store: Store, scope: Scope, page: PageRequest) {
  const { items, hasMore } = await store.listPayments(scope, page);
  return { payments: items.map(parsePayment), hasMore };
}

/** Reads the simulator's due charges without leasing them. */
export async function peekDue(store: Store, nowMs: number, limit: number) {
  const leased = await store.leaseDueCharges({
    nowMs,
    untilMs: nowMs,
    limit,
    network: simulatorName,
  });
  return leased;
}
