import { beforeAll, describe } from "vitest";
import { createHttpNetwork, type HttpNetwork } from "../../../src/service/networks/http-network.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { secret, startExampleAdapter } from "../../testkit/network/example-adapter.ts";
import { testDecisions, testStoredCharges } from "../../testkit/network/promises.ts";

describe("over HTTP, with the adapter of the documentation", () => {
  let network: HttpNetwork;
  beforeAll(async () => {
    network = createHttpNetwork({ url: await startExampleAdapter(), secret, version: "1.2.3" });
    openUntilFileEnds(async () => network.close());
  });
  testDecisions(() => network);
  testStoredCharges(() => network);
});
