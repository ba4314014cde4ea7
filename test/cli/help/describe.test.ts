import type { Command } from "@oclif/core";
import { expect, test } from "vitest";
import { describeCommands } from "../../../src/cli/help/describe.ts";
import { commands } from "../../testkit/command/built-commands.ts";

const flagsOf = (name: string) =>
  new Map(
    commands.find(({ words }) => words.join(" ") === name)?.flags.map((flag) => [flag.name, flag]),
  );

test("a flag is described with oclif's data", () => {
  expect(flagsOf("list").get("status")).toMatchObject({
    valueName: "value",
    values: ["pending", "succeeded", "failed", "refunded"],
    takesPath: false,
    required: false,
  });
  expect(flagsOf("refund").get("yes")).toMatchObject({ char: "y", valueName: undefined });
  expect(flagsOf("keys create").get("name")).toMatchObject({ required: true });
  expect(flagsOf("list").get("limit")).toMatchObject({ default: "10" });
  expect(flagsOf("list").get("base-url")).toMatchObject({ group: "CONNECTION" });
  expect(flagsOf("create").get("metadata")).toMatchObject({ repeatable: true });
});

test("the values that oclif does not have are those of the contract", () => {
  expect(flagsOf("create").get("currency")?.values).toEqual(["eur", "usd", "gbp"]);
  expect(flagsOf("create").get("expect")?.values).toContain("insufficient_funds");
});

test.each([
  ["create", "data"],
  ["create", "card-file"],
  ["list", "api-key-file"],
])("%s --%s takes the name of a file", (command, flag) => {
  expect(flagsOf(command).get(flag)?.takesPath).toBe(true);
});

test("hidden commands and flags stay hidden, and every command has --help", () => {
  const [known] = commandsWith({ hidden: false });
  expect(known?.flags.map(({ name }) => name)).toEqual(["seen", "help"]);
  expect(commandsWith({ hidden: true })).toEqual([]);
});

test("an example is a line, with or without a summary, and contains the program's name", () => {
  expect(commandsWith({ hidden: false })[0]?.examples).toEqual([
    { summary: undefined, command: "payments look" },
    { summary: "Look twice.", command: "payments look --seen" },
  ]);
});

function commandsWith({ hidden }: { hidden: boolean }) {
  const flag = { type: "boolean", allowNo: false };
  return describeCommands([
    {
      id: "look",
      hidden,
      args: {},
      flags: {
        seen: { ...flag, name: "seen" },
        unseen: { ...flag, name: "unseen", hidden: true },
      },
      examples: [
        "<%= config.bin %> look",
        { command: "<%= config.bin %> look --seen", description: "Look twice." },
      ],
    } as unknown as Command.Cached,
  ]);
}
