import { describe } from "vitest";
import { createStripeNetwork } from "../../../src/service/networks/stripe-network.ts";
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
});
