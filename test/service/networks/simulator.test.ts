import { describe, expect, test } from "vitest";
import { createSimulatorNetwork } from "../../../src/service/networks/simulator.ts";
import { cardFates, chargeInNovember, expired, fateOf } from "../../testkit/network/card-fates.ts";
import { testDecisions } from "../../testkit/network/promises.ts";

const network = createSimulatorNetwork({ processingTimeMs: 1_500 });

describe("in live mode on the simulator", () => {
  testDecisions(() => network);

  test.each(cardFates)("the card $card is $live", async ({ number, exp_month, exp_year, live }) => {
    expect(await fateOf(network, { number, exp_month, exp_year })).toBe(live);
  });

  test("an expired card is processed for the processing time", async () => {
    const answer = await chargeInNovember(network, { number: "4012888888881881", ...expired });
    expect(answer).toMatchObject({ outcome: "processing", retryAfterMs: 1_500 });
  });
});
