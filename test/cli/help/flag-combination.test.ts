import { Flags, Parser, type Interfaces } from "@oclif/core";
import { expect, test } from "vitest";
import { explainCombination, type ParserState } from "../../../src/cli/help/flag-combination.ts";

const command = { words: ["move"] };
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
  "the parser's report of %s is explained without values",
  async (_, flags, argv, message) => {
    const error = (await Parser.parse(argv, { flags }).catch((thrown: unknown) => thrown)) as {
      parse: ParserState;
    };
    const refused = explainCombination(error.parse, command, "Usage: payments move");
    expect(refused).toMatchObject({ exitCode: 2, message });
    expect(refused.hint).not.toContain("hunter");
  },
);
