import { describe, expect, test } from "vitest";
import { simulatorNetwork } from "../../../src/service/network/simulator.ts";
import { authorize, fateOf } from "./authorize.ts";
import { cardFates, expired, nowMs } from "./card-fates.ts";

const network = simulatorNetwork({ processingTimeMs: 1_500 });

describe("in live mode on the simulator", () => {
  test.each(cardFates)("the card $card is $live", async ({ number, exp_month, exp_year, live }) => {
    expect(await fateOf(network, { number, exp_month, exp_year })).toBe(live);
  });

  test("an expired card is to be asked about again after the processing time", async () => {
    const answer = await authorize(network, { number: "4012888888881881", ...expired });
    expect(answer).toMatchObject({ outcome: "processing", askAgainAtMs: nowMs + 1_500 });
  });
});
