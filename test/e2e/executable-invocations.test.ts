import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { executableInvocations, programs, runnerOf, startPeers } from "./invocations.ts";

/** The executable that `npm run package` makes. */
const executable = fileURLToPath(new URL("../../build/payments", import.meta.url));

describe("the executable prints and ends the same as the built command", async () => {
  const peers = await startPeers();
  const [built, packaged] = [runnerOf(programs.built, peers), runnerOf([executable], peers)];

  test.each(executableInvocations)("%s", async (line) => {
    const [expected, ran] = await Promise.all([built(line), packaged(line)]);
    expect(ran).toEqual(expected);
  });
});
