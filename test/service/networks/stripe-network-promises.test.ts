import { describe } from "vitest";
import { createStripeNetwork } from "../../../src/service/networks/stripe-network.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { testDecisions, testStoredCharges } from "../../testkit/network/promises.ts";
import { secretKey, startStripeStandIn } from "../../testkit/network/stripe-stand-in.ts";

async function open() {
  const { url } = await startStripeStandIn();
  const network = createStripeNetwork({ secretKey, version: "1.2.3", baseUrl: url });
  openUntilFileEnds(async () => network.close());
  return network;
}

describe("at Stripe's stand-in", () => {
  testDecisions(open);
  testStoredCharges(open);
});
