import { describe, expect, test } from "vitest";
import { confirmRefund } from "../../../src/cli/prompts/choose-payment.ts";
import { paymentWith } from "../../testkit/client/scripted-server.ts";
import { createScriptedPrompter } from "../../testkit/command/scripted-prompter.ts";

const no = { exitCode: 10, message: "Canceled; nothing was refunded." };

describe("a refund in test mode", () => {
  test("is confirmed by yes", async () => {
    const { prompter, transcript } = createScriptedPrompter(true);
    await confirmRefund(prompter, paymentWith());
    expect(transcript).toEqual(["Refund 49.99 EUR?"]);
  });

  test("does not happen after no", async () => {
    await expect(
      confirmRefund(createScriptedPrompter(false).prompter, paymentWith()),
    ).rejects.toMatchObject(no);
  });
});

describe("a refund in live mode", () => {
  const live = paymentWith({ livemode: true });

  test.each(["49.99", "49.99 EUR", " 49.99 eur "])("is confirmed by %j", async (typed) => {
    const { prompter, transcript } = createScriptedPrompter(typed);
    await confirmRefund(prompter, live);
    expect(transcript).toEqual(["Live mode. Type the amount, 49.99 EUR, to refund it:"]);
  });

  test.each(["y", "yes", "4999", "49,99", "49.98", "49.99 USD", "EUR"])(
    "does not happen after %j, and the error says that it is not the amount",
    async (typed) => {
      await expect(
        confirmRefund(createScriptedPrompter(typed).prompter, live),
      ).rejects.toMatchObject({
        exitCode: 10,
        message: "The typed amount is not 49.99 EUR; nothing was refunded.",
      });
    },
  );

  test("is canceled if nothing is typed", async () => {
    await expect(confirmRefund(createScriptedPrompter("").prompter, live)).rejects.toMatchObject(
      no,
    );
  });
});
