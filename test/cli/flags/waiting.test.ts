import { describe, expect, test } from "vitest";
import { unmetExpectation, parseWaitFlags } from "../../../src/cli/flags/waiting.ts";
import { paymentWith } from "../../testkit/api-objects.ts";

const succeeded = paymentWith();
const pending = paymentWith({ status: "pending" });
const failed = paymentWith({
  status: "failed",
  decline_code: "expired_card",
  decline_message: "The card has expired.",
});

describe("the expected outcome", () => {
  test.each([undefined, "succeeded", "failed", "refunded", "generic_decline", "expired_card"])(
    "is %s",
    (expected) => {
      expect(parseWaitFlags({ wait: false, expect: expected }).expected).toBe(expected);
    },
  );

  test.each(["pending", "", "Succeeded", "expired-card", "declined"])("is not %j", (expected) => {
    expect(() => parseWaitFlags({ wait: false, expect: expected })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining("succeeded, failed, refunded, generic_decline") as unknown,
      }),
    );
  });
});

test.each([
  [{}, "30s", 30_000],
  [{ hosted: true }, "15m", 900_000],
  [{ hosted: true, timeout: "5s" }, "5s", 5_000],
])("with %j it is waited for %s", (flags, timeout, timeoutMs) => {
  expect(parseWaitFlags({ wait: true, ...flags })).toMatchObject({
    waits: true,
    timeout,
    timeoutMs,
  });
});

describe("how a payment ended", () => {
  test.each([
    { payment: pending, wait: false, expected: undefined },
    { payment: failed, wait: false, expected: undefined },
    { payment: succeeded, wait: true, expected: undefined },
    { payment: succeeded, wait: false, expected: "succeeded" },
    { payment: failed, wait: false, expected: "failed" },
    { payment: failed, wait: true, expected: "expired_card" },
  ])(
    "$payment.status is no error with wait $wait and expect $expected",
    ({ payment, wait, expected }) => {
      const waiting = parseWaitFlags({ wait, expect: expected });
      expect(unmetExpectation(payment, waiting, "")).toBeUndefined();
    },
  );

  test.each([
    {
      payment: failed,
      wait: true,
      expected: undefined,
      exitCode: 3,
      message: "The payment failed (expired_card): The card has expired.",
    },
    {
      payment: failed,
      wait: false,
      expected: "succeeded",
      exitCode: 3,
      message: "The payment was expected to end as succeeded, but it is failed (expired_card).",
    },
    {
      payment: failed,
      wait: false,
      expected: "generic_decline",
      exitCode: 3,
      message:
        "The payment was expected to end as generic_decline, but it is failed (expired_card).",
    },
    {
      payment: succeeded,
      wait: false,
      expected: "failed",
      exitCode: 3,
      message: "The payment was expected to end as failed, but it is succeeded.",
    },
    {
      payment: pending,
      wait: true,
      expected: undefined,
      exitCode: 8,
      message: "The payment is still pending.",
    },
    {
      payment: pending,
      wait: false,
      expected: "failed",
      exitCode: 8,
      message: "The payment is still pending.",
    },
  ])(
    "$payment.status is exit $exitCode with wait $wait and expect $expected",
    ({ payment, wait, expected, exitCode, message }) => {
      const error = unmetExpectation(payment, parseWaitFlags({ wait, expect: expected }), "");
      expect(error).toMatchObject({ exitCode, message, declineCode: payment.decline_code });
    },
  );

  test("the error for a pending payment names the command to look again", () => {
    const error = unmetExpectation(pending, parseWaitFlags({ wait: true }), " --mode live");
    expect(error?.hint).toContain(`payments get ${pending.id} --mode live,`);
  });
});
