import { describe } from "vitest";
import { fakeNetwork } from "../../testkit/network/fake-network.ts";
import { testDecisions, testStoredCharges } from "../../testkit/network/promises.ts";

describe("the fake network", () => {
  testDecisions(() => fakeNetwork().admittedTo);
  testStoredCharges(() => fakeNetwork().admittedTo);
});
