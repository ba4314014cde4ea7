import { expect, test } from "vitest";
import { createPaymentBody } from "../../src/contract/payment.ts";
import { bodyWith } from "../testkit/create-payment-body.ts";

/** Far above what a refusal takes (well under a millisecond), far below what backtracking took (seconds). */
const boundMs = 1_000;

test("an e-mail address as long as a body is refused by its length, not by trying it out", () => {
  const email = `a@${".".repeat(63_000)} `;
  const startMs = performance.now();
  const { success } = createPaymentBody.safeParse(bodyWith({ customer: { email } }));
  expect(success).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(boundMs);
});
