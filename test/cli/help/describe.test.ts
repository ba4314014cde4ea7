import type { Command } from "@oclif/core";
import { expect, test } from "vitest";
import { describeCommands } from "../../../src/cli/help/describe.ts";
import { commands } from "../../testkit/command/built-commands.ts";

const describeFlags = (name: string) =>
  new Map(
    commands.find(({ words }) => words.join(" ") === name)?.flags.map((flag) => [flag.name, flag]),
  );

test("a flag is described with oclif's data", () => {
  expect(describeFlags("list").get("status")).toMatchObject({
    valueName: "value",
    values: ["pending", "succeeded", "failed", "refunded"],
    takesPath: false,
    required: false,
  });
  expect(describeFlags("refund").get("yes")).toMatchObject({ char: "y", valueName: undefined });
  expect(describeFlags("keys create").get("name")).toMatchObject({ required: true });
  expect(describeFlags("list").get("limit")).toMatchObject({ default: "10" });
  expect(describeFlags("list").get("base-url")).toMatchObject({ group: "CONNECTION" });
  expect(describeFlags("create").get("metadata")).toMatchObject({ repeatable: true });
});

test("the values that oclif does not have are those of the contract", () => {
  expect(describeFlags("create").get("currency")?.values).toEqual(["eur", "usd", "gbp"]);
  expect(describeFlags("create").get("expect")?.values).toContain("insufficient_funds");
});

test.each([
  ["create", "data"],
  ["create", "card-file"],
  ["list", "api-key-file"],
])("%s --%s takes the name of a file", (command, flag) => {
  expect(describeFlags(command).get(flag)?.takesPath).toBe(true);
});

test("hidden commands and flags stay hidden, and every command has --help", () => {
  const [known] = describeWith({ hidden: false });
  expect(known?.flags.map(({ name }) => name)).toEqual(["seen", "help"]);
  expect(describeWith({ hidden: true })).toEqual([]);
});

function describeWith({ hidden }: { hidden: boolean }) {
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
    } as unknown as Command.Cached,
  ]);
}
