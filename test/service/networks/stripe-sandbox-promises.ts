import { describe, expect, test } from "vitest";
import { createStripeNetwork } from "../../../src/service/networks/stripe-network.ts";
import { cardWith } from "../../testkit/network/fake-network.ts";
import { prepareCharge, returnUrl } from "../../testkit/network/stripe-stand-in.ts";
import { cardRequiringAction } from "../../testkit/network/stripe-objects.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { testDecisions, testStoredCharges } from "../../testkit/network/promises.ts";

const { PAYMENTS_STRIPE_SECRET_KEY: secretKey = "", PAYMENTS_STRIPE_BASE_URL: url } = process.env;

describe("at Stripe's sandbox", () => {
  const network = createStripeNetwork({
    secretKey,
    version: "sandbox",
    ...(url !== undefined && { baseUrl: url }),
  });
  openUntilFileEnds(async () => network.close());
  testDecisions(() => network);
  testStoredCharges(() => network);

  test("a bank asks the customer on a page of its own, until the charge is canceled", async () => {
    const charge = await prepareCharge(network, { returnUrl });
    const answer = await network.charge(charge, cardWith({ number: cardRequiringAction }));
    const usable = expect.stringMatching(/^https?:/) as unknown;
    expect(answer).toMatchObject({ outcome: "action", reference: charge.reference, url: usable });
    expect(await network.lookUp(charge)).toMatchObject({ outcome: "action" });
    expect(await network.cancel(charge)).toEqual({ outcome: "canceled" });
    expect(await network.lookUp(charge)).toEqual({ outcome: "canceled" });
  });

  test("without a page the bank's question is a decline", async () => {
    const charge = await prepareCharge(network);
    const answer = await network.charge(charge, cardWith({ number: cardRequiringAction }));
    expect(answer).toEqual({ outcome: "declined", code: "authentication_required" });
  });
});
