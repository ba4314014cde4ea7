import { describe, expect, test } from "vitest";
import { createTestNetwork } from "../../../src/service/networks/simulator.ts";
import { cardFates } from "../../testkit/network/card-fates.ts";
import { chargeWith } from "../../testkit/network/charge-with.ts";
import { chargeInNovember, fateOf } from "../../testkit/network/fate-of.ts";
import { testDecisions } from "../../testkit/network/promises.ts";

const network = createTestNetwork({ processingTimeMs: 1_500 });

describe("in test mode", () => {
  testDecisions(() => network);

  test.each(cardFates)(
    "the card $card is $test",
    async ({ number, exp_month, exp_year, ...row }) => {
      expect(await fateOf(network, { number, exp_month, exp_year })).toBe(row.test);
    },
  );

  test("a declined card is processed for the processing time", async () => {
    const answer = await chargeInNovember(network, { number: "4000000000000002" });
    expect(answer).toMatchObject({ outcome: "processing", retryAfterMs: 1_500 });
  });

  test("the reference of a declined card reveals nothing of its number", async () => {
    const answer = await chargeInNovember(network, { number: "4012888888881881" });
    expect(answer.outcome).toBe("processing");
    expect(JSON.stringify(answer)).not.toMatch(/4012|1881|987/);
  });

  test("any security code is accepted", async () => {
    expect(await fateOf(network, { cvc: "0000" })).toBe("approved");
  });

  test.each(["toString", null])("the reference %s is a processing error", async (reference) => {
    const answer = await network.lookUp(chargeWith({ reference }));
    expect(answer).toEqual({ outcome: "declined", code: "processing_error" });
  });
});
