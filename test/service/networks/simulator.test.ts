import { describe, expect, test } from "vitest";
import type { ActionOutcome } from "../../../src/service/networks/card-network.ts";
import {
  createSimulatorNetwork,
  createTestNetwork,
} from "../../../src/service/networks/simulator.ts";
import { cardFates, chargeInNovember, expired, fateOf } from "../../testkit/network/card-fates.ts";
import { chargeWith } from "../../testkit/network/fake-network.ts";
import { testDecisions } from "../../testkit/network/promises.ts";

describe("in test mode", () => {
  const network = createTestNetwork({ processingTimeMs: 1_500 });
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

  test.each([
    ["4242424242424242", ["refunded"]],
    ["4000000000005126", ["declined", "declined"]],
    ["4000000000007726", ["processing for 1500", "refunded"]],
  ])("the refund of the card %s is %j", async (number, outcomes) => {
    let answer: ActionOutcome = await chargeInNovember(network, { number });
    const references = [];
    // As after an answer that was lost.
    const reference = "reference" in answer ? (answer.reference ?? null) : null;
    expect(await network.lookUp(chargeWith({ reference }))).toEqual(answer);
    for (const outcome of outcomes) {
      if ("reference" in answer) references.push(answer.reference);
      answer = await network.refund(chargeWith({ reference: references.at(-1) ?? null }));
      const time = answer.outcome === "processing" ? ` for ${answer.retryAfterMs}` : "";
      expect(answer.outcome + time).toBe(outcome);
    }
    expect(references.join()).not.toMatch(/\d/);
  });

  test.each(["toString", null])("the reference %s is a processing error", async (reference) => {
    const answer = await network.lookUp(chargeWith({ reference }));
    expect(answer).toEqual({ outcome: "declined", code: "processing_error" });
  });
});

describe("in live mode on the simulator", () => {
  const network = createSimulatorNetwork({ processingTimeMs: 1_500 });
  testDecisions(() => network);

  test.each(cardFates)("the card $card is $live", async ({ number, exp_month, exp_year, live }) => {
    expect(await fateOf(network, { number, exp_month, exp_year })).toBe(live);
  });

  test("an expired card is processed for the processing time", async () => {
    const answer = await chargeInNovember(network, { number: "4012888888881881", ...expired });
    expect(answer).toMatchObject({ outcome: "processing", retryAfterMs: 1_500 });
  });
});
