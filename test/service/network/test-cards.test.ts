import { describe, expect, test } from "vitest";
import { testNetwork } from "../../../src/service/network/simulator.ts";
import { authorize, fateOf } from "./authorize.ts";
import { cardFates, nowMs } from "./card-fates.ts";

const network = testNetwork({ processingTimeMs: 1_500 });

describe("in test mode", () => {
  test.each(cardFates)(
    "the card $card is $test",
    async ({ number, exp_month, exp_year, ...row }) => {
      expect(await fateOf(network, { number, exp_month, exp_year })).toBe(row.test);
    },
  );

  test("a declined card is to be asked about again after the processing time", async () => {
    const answer = await authorize(network, { number: "4000000000000002" });
    expect(answer).toMatchObject({ outcome: "processing", askAgainAtMs: nowMs + 1_500 });
  });

  test("the reference of a declined card tells nothing of its number", async () => {
    const answer = await authorize(network, { number: "4012888888881881" });
    expect(answer.outcome).toBe("processing");
    expect(JSON.stringify(answer)).not.toMatch(/4012|1881|987/);
  });

  test("any security code is accepted", async () => {
    expect(await fateOf(network, { cvc: "0000" })).toBe("approved");
  });

  test("a reference that nobody knows is a processing error", async () => {
    const answer = await network.outcomeOf("toString");
    expect(answer).toEqual({ outcome: "declined", code: "processing_error" });
  });

  test("a refund is taken, also twice", async () => {
    const payment = { paymentId: "pay_1", amount: 4999, currency: "eur" };
    await expect(network.refund(payment)).resolves.toBeUndefined();
    await expect(network.refund(payment)).resolves.toBeUndefined();
  });
});
