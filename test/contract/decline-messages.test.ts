import { describe, expect, test } from "vitest";
import { declineCodes, declineMessages, isDeclineCode } from "../../src/contract/field-values.ts";

describe("a decline code", () => {
  test("has its own message", () => {
    const decided = [
      "generic_decline",
      "insufficient_funds",
      "expired_card",
      "authentication_required",
      "test_mode_live_card",
      "hpp_expired",
      "customer_canceled",
      "canceled",
      "processing_error",
    ];
    expect(Object.keys(declineMessages)).toEqual(decided);
    expect(declineCodes).toEqual(decided);
    expect(new Set(Object.values(declineMessages)).size).toBe(decided.length);
  });

  test.each(declineCodes)("%s is known", (code) => {
    expect(isDeclineCode(code)).toBe(true);
  });

  test.each(["", "approved", "toString", "__proto__", "EXPIRED_CARD"])("%j is none", (code) => {
    expect(isDeclineCode(code)).toBe(false);
  });
});

test("the message of expired_card says that the card has expired and not to retry it", () => {
  expect(declineMessages.expired_card).toMatch(/card has expired/);
  expect(declineMessages.expired_card).toMatch(/do not retry/i);
});

test("the message of authentication_required says what to do, whether or not the bank could ask", () => {
  const message = declineMessages.authentication_required;
  expect(message).toMatch(/confirm this payment, and it was not confirmed\./);
  expect(message).toMatch(/a payment page, where the bank can ask, or use another card\.$/);
  expect(message).not.toMatch(/cannot|could not/);
});
