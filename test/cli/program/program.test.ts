import { expect, test } from "vitest";
import { findCommand } from "../../../src/cli/program/program.ts";
import { commandGroups } from "../../../src/cli/help/describe.ts";
import { commands } from "../../testkit/command/built-commands.ts";

const named = commands.filter(({ words }) => !Object.hasOwn(commandGroups, words.join(" ")));

test.each(named.map(({ words, summary }) => [words.join(" "), summary]))(
  "the words of payments %s load its command",
  async (words, summary) => {
    const found = await findCommand([...words.split(" "), "--json"]);
    expect(found?.rest).toEqual(["--json"]);
    expect(found?.Command).toHaveProperty("summary", summary);
  },
);

test.each([
  [[]],
  [["--json", "list"]],
  [["lst"]],
  [["keys"]],
  [["keys", "nonsense"]],
  [["constructor"]],
  [["__proto__"]],
])("%j names no command", async (argv) => {
  expect(await findCommand(argv)).toBeUndefined();
});

test("a command's words may be joined by colons, and the words after it are its arguments", async () => {
  expect((await findCommand(["keys:list", "--json"]))?.rest).toEqual(["--json"]);
  expect((await findCommand(["get", "pay_1"]))?.rest).toEqual(["pay_1"]);
});
