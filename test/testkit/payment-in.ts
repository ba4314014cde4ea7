import { v7 } from "uuid";
import type { PaymentStatus } from "../../src/contract/payment.ts";
import {
  beginPayment,
  failPayment,
  succeedPayment,
  type Draft,
  type Payment,
} from "../../src/service/payments/payment-state.ts";

export const card = {
  brand: "visa",
  last4: "4242",
  exp_month: 12,
  exp_year: 2030,
  country: "US",
} as const;

let sequence = 0;

/** The next id at a time: real ids follow the machine's clock, which a test cannot set. */
export function nextId(atMs: number): string {
  sequence += 1;
  return `pay_${v7({ msecs: atMs, seq: sequence })}`;
}

/** A payment in a status, created at `createdMs`, with one transition each second after that. */
export function paymentIn(
  status: PaymentStatus,
  createdMs: number,
  fields: Partial<Draft> = {},
): Payment {
  const created = Math.floor(createdMs / 1000);
  const pending = beginPayment({
    id: nextId(createdMs),
    amount: 4999,
    currency: "eur",
    description: null,
    card,
    customer: { email: "", name: "" },
    metadata: {},
    redirect_url: null,
    created,
    livemode: false,
    ...fields,
  });
  const succeeded = succeedPayment(pending, card, created + 1);
  switch (status) {
    case "pending":
      return pending;
    case "succeeded":
      return succeeded;
    case "failed":
      return failPayment(pending, "insufficient_funds", created + 1);
    case "refunded":
      return { ...succeeded, status, refunded_at: created + 2 };
    default:
      return status satisfies never;
  }
}
