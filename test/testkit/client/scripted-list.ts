import { maxPageSize } from "../../../src/contract/routes.ts";
import type { Payment } from "../../../src/contract/payment.ts";
import { json, paymentWith, type Answer } from "./scripted-server.ts";

/** A service with `count` payments of ordinary size, the newest of which has number 1. */
export function holding(count: number, fields: Partial<Payment> = {}): Answer {
  return (response, request) => {
    const query = new URL(request.path, "http://localhost").searchParams;
    const limit = Number(query.get("limit") ?? maxPageSize);
    const first = numberIn(query.get("starting_after")) + 1;
    const size = Math.min(limit, count - first + 1);
    const data = paymentNumbers(first, size, fields);
    const list = { object: "list", url: "/v1/payments", data, has_more: first + size <= count };
    json(200, list)(response, request);
  };
}

/** The payments of such a service from a number on. */
export function paymentNumbers(
  first: number,
  count: number,
  fields: Partial<Payment> = {},
): Payment[] {
  return Array.from({ length: count }, (_, at) =>
    paymentWith({
      id: `pay_0199c5a8-7f3e-7abc-9def-${String(first + at).padStart(12, "0")}`,
      description: `Order ${first + at}`,
      customer: { email: "ada@example.com", name: "Ada Lovelace" },
      metadata: { order_id: String(first + at) },
      ...fields,
    }),
  );
}

function numberIn(cursor: string | null): number {
  return Number(cursor?.slice(-12) ?? 0);
}
