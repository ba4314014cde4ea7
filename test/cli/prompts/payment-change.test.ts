import { describe, expect, test } from "vitest";
import { canceling, confirmChange, refunding } from "../../../src/cli/prompts/payment-change.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { createScriptedPrompter } from "../../testkit/command/scripted-prompter.ts";

const no = { exitCode: 10, message: "Canceled; nothing was refunded." };

describe("a refund in test mode", () => {
  test("is confirmed by yes", async () => {
    const { prompter, transcript } = createScriptedPrompter(true);
    await confirmChange(prompter, paymentWith(), refunding);
    expect(transcript).toEqual(["Refund 49.99 EUR?"]);
  });

  test("does not happen after no", async () => {
    await expect(
      confirmChange(createScriptedPrompter(false).prompter, paymentWith(), refunding),
    ).rejects.toMatchObject(no);
  });
});

describe("a refund in live mode", () => {
  const live = paymentWith({ livemode: true });

  test.each(["49.99", "49.99 EUR", " 49.99 eur "])("is confirmed by %j", async (typed) => {
    const { prompter, transcript } = createScriptedPrompter(typed);
    await confirmChange(prompter, live, refunding);
    expect(transcript).toEqual(["Live mode. Type the amount, 49.99 EUR, to refund it:"]);
  });

  test.each(["y", "yes", "4999", "49,99", "49.98", "49.99 USD", "EUR"])(
    "does not happen after %j, and the error says that it is not the amount",
    async (typed) => {
      await expect(
        confirmChange(createScriptedPrompter(typed).prompter, live, refunding),
      ).rejects.toMatchObject({
        exitCode: 10,
        message: "The typed amount is not 49.99 EUR; nothing was refunded.",
      });
    },
  );

  test("is canceled if nothing is typed", async () => {
    await expect(
      confirmChange(createScriptedPrompter("").prompter, live, refunding),
    ).rejects.toMatchObject(no);
  });
});

test("a cancellation is asked about in its own words", async () => {
  const yes = createScriptedPrompter(true);
  await confirmChange(yes.prompter, paymentWith(), canceling);
  const refused = confirmChange(createScriptedPrompter(false).prompter, paymentWith(), canceling);
  await expect(refused).rejects.toMatchObject({
    exitCode: 10,
    message: "You did not confirm; the payment was not canceled.",
  });
  const live = createScriptedPrompter("49.99");
  await confirmChange(live.prompter, paymentWith({ livemode: true }), canceling);
  expect([...yes.transcript, ...live.transcript]).toEqual([
    "Cancel the payment of 49.99 EUR?",
    "Live mode. Type the amount, 49.99 EUR, to cancel it:",
  ]);
});
