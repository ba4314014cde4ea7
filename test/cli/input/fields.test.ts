import { describe, expect, test } from "vitest";
import { checkedFields } from "../../../src/cli/input/fields.ts";

describe("--fields", () => {
  test("names fields in an order, each once", () => {
    expect(checkedFields(undefined)).toBeUndefined();
    expect(checkedFields("amount, id,card.last4,amount,metadata.order.id,card")).toEqual([
      "amount",
      "id",
      "card.last4",
      "metadata.order.id",
      "card",
    ]);
  });

  test.each(["", "id,", "amunt", "card.number", "metadata.", "toString", "id amount"])(
    "refuses %j and says what there is",
    (text) => {
      expect(() => checkedFields(text)).toThrow(
        expect.objectContaining({
          exitCode: 2,
          hint: expect.stringContaining("card.last4") as string,
        }),
      );
    },
  );
});
