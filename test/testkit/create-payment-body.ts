import type { z } from "zod";
import { createPaymentBody } from "../../src/contract/payment.ts";

/** A body that is accepted, and what a test puts in place of some of its fields. */
export function bodyWith(fields: object): object {
  return { amount: 4999, currency: "eur", card: cardWith({}), ...fields };
}

export function cardWith(fields: object): object {
  return { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123", ...fields };
}

/** The fields at fault, each once, in dotted form; none where the body is accepted. */
export function faultsOf(body: unknown): string[] {
  const faults = issuesOf(body).map((issue) =>
    issue.code === "unrecognized_keys"
      ? [...issue.path, ...issue.keys].join(".")
      : issue.path.join("."),
  );
  return [...new Set(faults)];
}

export function messagesOf(body: unknown): string[] {
  return issuesOf(body).map((issue) => issue.message);
}

function issuesOf(body: unknown): z.core.$ZodIssue[] {
  return createPaymentBody.safeParse(body).error?.issues ?? [];
}
