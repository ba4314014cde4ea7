import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
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

test("the executable has nothing of the folder in which it was made", () => {
  expect(readFileSync(executable).includes(fileURLToPath(new URL("../..", import.meta.url)))).toBe(
    false,
  );
});

test("the executable has Node among its licenses, with those of its parts", () => {
  const list = execFileSync(executable, ["licenses", "-o", "csv"], { encoding: "utf8" });
  expect(list).toContain(`\nnode,${process.versions.node},MIT`);
  const texts = execFileSync(executable, ["licenses", "--texts"], { encoding: "utf8" });
  expect(texts).toMatch(new RegExp(`^node ${process.versions.node} [^]+OpenSSL`, "m"));
});
