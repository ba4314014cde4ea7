import { Flags, Parser, type Interfaces } from "@oclif/core";
import { expect, test } from "vitest";
import { helpFlag, type CommandDescription } from "../../../src/cli/help/describe.ts";
import { explainCombination } from "../../../src/cli/help/refused-combination.ts";

const command: CommandDescription = {
  words: ["move"],
  summary: "Move.",
  description: undefined,
  arguments: [],
  flags: ["from", "to", "user", "secret"].map((name) => Object.assign({}, helpFlag, { name })),
  examples: [],
};
const value = Flags.string;

test.each([
  [
    "a flag that needs another",
    { from: value({ dependsOn: ["to"] }), to: value() },
    ["--from", "hunter"],
    "--from needs --to too.",
  ],
  [
    "a flag that needs two",
    { from: value({ dependsOn: ["to", "user"] }), to: value(), user: value() },
    ["--from", "hunter"],
    "--from needs --to and --user too.",
  ],
  [
    "a flag that needs one of two",
    {
      from: value({ relationships: [{ type: "some", flags: ["to", "user"] }] }),
      to: value(),
      user: value(),
    },
    ["--from", "hunter"],
    "--from needs --to or --user too.",
  ],
  [
    "none of those of which one must be",
    { from: value({ exactlyOne: ["from", "to"] }), to: value() },
    [],
    "Missing --from or --to.",
  ],
  [
    "none of those of which some must be",
    { from: value({ atLeastOne: ["from", "to"] }), to: value() },
    [],
    "Missing --from or --to.",
  ],
  [
    "two of which one must be",
    { from: value({ exactlyOne: ["from", "to"] }), to: value() },
    ["--from", "hunter", "--to", "hunter"],
    "--to and --from contradict each other.",
  ],
  [
    "two that exclude each other",
    { from: value({ exclusive: ["to"] }), to: value() },
    ["--from", "hunter", "--to", "hunter"],
    "--to and --from contradict each other.",
  ],
  [
    "one that goes with others only",
    { from: value({ combinable: ["to"] }), to: value(), user: value() },
    ["--from", "hunter", "--user", "hunter"],
    "These flags don't go together.",
  ],
  [
    "what is required",
    { from: value({ required: true }), secret: value({ required: true }) },
    [],
    "Missing --from and --secret.",
  ],
] as [string, Interfaces.FlagInput, string[], string][])(
  "%s, in the parser's own words, is told without values",
  async (_, flags, argv, message) => {
    const error = (await Parser.parse(argv, { flags }).catch((thrown: unknown) => thrown)) as Error;
    const told = explainCombination(error.message, command, [command]);
    expect(told).toMatchObject({ exitCode: 2, message });
    expect(told?.hint).not.toContain("hunter");
  },
);

test("a message about something else is left to others", () => {
  expect(explainCombination("Flag --from expects a value", command, [command])).toBeUndefined();
});
