import { describe, expect, test } from "vitest";
import {
  toCommandLine,
  findCommandNamed,
  listSubcommands,
  groupCommands,
} from "../../../src/cli/help/command-tree.ts";
import type { CommandDescription } from "../../../src/cli/help/describe.ts";
import { commands } from "../../testkit/command/built-commands.ts";

const names = (list: readonly CommandDescription[]) => list.map(({ words }) => words.join(" "));
const tomorrow = { ...commands[0], words: ["tomorrow"] } as CommandDescription;

test("an unlisted command comes last, under the last heading", () => {
  const all = [tomorrow, ...commands];
  expect(names(listSubcommands([], all)).at(-1)).toBe("tomorrow");
  expect(names(groupCommands(all).at(-1)?.[1] ?? [])).toEqual([
    "api",
    "completion",
    "licenses",
    "help",
    "tomorrow",
  ]);
  expect(groupCommands(all).flatMap(([, members]) => members)).toHaveLength(
    listSubcommands([], all).length,
  );
});

describe("the words of a command line", () => {
  test.each([
    [["list", "--json"], ["list"]],
    [
      ["keys", "create", "--name", "ci"],
      ["keys", "create"],
    ],
    [["keys:create"], ["keys", "create"]],
    [["postgres://payments:hunter@db"], ["postgres://payments:hunter@db"]],
    [["--json", "list"], []],
    [[], []],
  ])("of %j are those before the first flag", (argv, words) => {
    expect(toCommandLine(argv, commands)).toEqual(words);
  });

  test.each([
    [["list", "failed"], "list", ["failed"]],
    [["keys", "create", "x"], "keys create", ["x"]],
    [["keys", "crate"], "keys", ["crate"]],
    [["nonsense"], undefined, ["nonsense"]],
  ])("%j name a command and go on", (line, name, rest) => {
    const named = findCommandNamed(line, commands);
    expect(named.command?.words.join(" ")).toBe(name);
    expect(named.rest).toEqual(rest);
  });
});

test("every group of commands is a command itself, which shows its help", () => {
  const parents = commands.flatMap(({ words }) => (words.length > 1 ? [words.slice(0, -1)] : []));
  for (const parent of parents) expect(names(commands)).toContain(parent.join(" "));
});
