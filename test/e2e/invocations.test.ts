import { describe, expect, test } from "vitest";
import { invocations, programs, runnerOf, startPeers } from "./invocations.ts";

describe("the command prints and ends the same from source and as it is built", async () => {
  const peers = await startPeers();
  const [fromSource, built] = [runnerOf(programs.source, peers), runnerOf(programs.built, peers)];

  test.each(invocations)("%s", async (line, exitCode) => {
    const [expected, ran] = await Promise.all([fromSource(line), built(line)]);
    expect(ran).toEqual(expected);
    expect(ran.exitCode).toBe(exitCode ?? ran.exitCode);
  });
});
