import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exitCodeMeanings, exitCodes } from "../../../src/cli/output/exit-codes.ts";
import { root } from "../../testkit/command/built-commands.ts";

test("every exit code has a meaning", () => {
  expect(exitCodeMeanings.map(([code]) => code)).toEqual([
    ...Object.values(exitCodes).map(String),
    "129",
    "130",
    "143",
  ]);
});

test("the README has the same meanings", () => {
  const [, chapter = ""] = readFileSync(join(root, "README.md"), "utf8").split("## Exit codes");
  const [table = ""] = chapter.split("\n## ");
  const rows = [...table.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)];
  expect(rows.map(([, code, meaning]) => [code, meaning])).toEqual(exitCodeMeanings);
});
