import { describe, expect, test } from "vitest";
import { sourceInvocations, programs, runnerOf, startPeers } from "./invocations.ts";

describe("the command from source and the built command have the same output and exit code", async () => {
  const peers = await startPeers();
  const [fromSource, built] = [runnerOf(programs.source, peers), runnerOf(programs.built, peers)];

  test.each(sourceInvocations)("%s", async (line, exitCode) => {
    const [expected, ran] = await Promise.all([fromSource(line), built(line)]);
    expect(ran).toEqual(expected);
    expect(ran.exitCode).toBe(exitCode ?? ran.exitCode);
  });
});
