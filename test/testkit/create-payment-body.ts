import type { z } from "zod";
import { createPaymentBody } from "../../src/contract/new-payment.ts";

/** A valid body, with some fields replaced by a test's own. */
export function bodyWith(fields: object): object {
  return { amount: 4999, currency: "eur", card: cardWith({}), ...fields };
}

export function cardWith(fields: object): object {
  return { number: "4242424242424242", exp_month: 12, exp_year: 2030, cvc: "123", ...fields };
}

/** The invalid fields, each once, in dotted form; empty if the body is accepted. */
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
