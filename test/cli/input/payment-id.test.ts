import { describe, expect, test } from "vitest";
import { checkedPaymentId } from "../../../src/cli/input/payment-id.ts";

describe("the id of a payment", () => {
  test.each(["pay_0199c5a8-7f3e-7abc-9def-0123456789ab", "pay_1", undefined])("may be %s", (id) => {
    expect(checkedPaymentId(id, "<id>")).toBe(id);
  });

  test.each(["0199c5a8", "ch_1", "pay_", "pay_1/refund", " pay_1", "pay_1\n", "4242424242424242"])(
    "may not be %j, which is not repeated",
    (id) => {
      expect(() => checkedPaymentId(id, "--starting-after")).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message:
            "--starting-after must be the id of a payment, such as pay_0199…. Nothing was sent.",
        }),
      );
    },
  );

  test("has at most 255 characters; a longer one is not repeated", () => {
    const longest = `pay_${"x".repeat(251)}`;
    expect(checkedPaymentId(longest, "<id>")).toBe(longest);
    expect(() => checkedPaymentId(`${longest}x`, "<id>")).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message:
          "<id> is longer than 255 characters, which no id of a payment is. Nothing was sent.",
      }),
    );
  });

  test("may not be empty, as of a variable that is not set", () => {
    expect(() => checkedPaymentId(" ", "<id>")).toThrow("<id> is empty.");
  });
});
