import { describe, expect, test } from "vitest";
import { confirmRefund } from "../../../src/cli/prompts/confirm-refund.ts";
import { paymentWith } from "../../testkit/client/scripted-server.ts";
import { scriptedAsker } from "../../testkit/command/scripted-asker.ts";

const no = { exitCode: 10, message: "Canceled; nothing was refunded." };

describe("a refund in test mode", () => {
  test("is confirmed by yes", async () => {
    const { asker, heard } = scriptedAsker(true);
    await confirmRefund(asker, paymentWith());
    expect(heard).toEqual(["Refund 49.99 EUR?"]);
  });

  test("does not happen after no", async () => {
    await expect(confirmRefund(scriptedAsker(false).asker, paymentWith())).rejects.toMatchObject(
      no,
    );
  });
});

describe("a refund in live mode", () => {
  const live = paymentWith({ livemode: true });

  test.each(["49.99", "49.99 EUR", " 49.99 eur "])("is confirmed by %j", async (typed) => {
    const { asker, heard } = scriptedAsker(typed);
    await confirmRefund(asker, live);
    expect(heard).toEqual(["Live mode. Type the amount, 49.99 EUR, to refund it:"]);
  });

  test.each(["y", "yes", "4999", "49,99", "49.98", "49.99 USD", "EUR"])(
    "does not happen after %j, which is said not to be the amount",
    async (typed) => {
      await expect(confirmRefund(scriptedAsker(typed).asker, live)).rejects.toMatchObject({
        exitCode: 10,
        message: "What was typed is not the amount, 49.99 EUR; nothing was refunded.",
      });
    },
  );

  test("is canceled where nothing is typed", async () => {
    await expect(confirmRefund(scriptedAsker("").asker, live)).rejects.toMatchObject(no);
  });
});
