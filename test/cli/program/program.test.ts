import { expect, test } from "vitest";
import { findCommand } from "../../../src/cli/program/program.ts";
import { commands } from "../../testkit/command/built-commands.ts";

test.each(commands.map(({ words, summary }) => [words.join(" "), summary]))(
  "the words of payments %s load its command",
  async (words, summary) => {
    const named = await findCommand([...words.split(" "), "--json"]);
    expect(named?.rest).toEqual(["--json"]);
    expect(named?.Command).toHaveProperty("summary", summary);
  },
);

test.each([[[]], [["--json", "list"]], [["lst"]], [["constructor"]], [["__proto__"]]])(
  "%j names no command",
  async (argv) => {
    expect(await findCommand(argv)).toBeUndefined();
  },
);

test("a command's words may be joined by colons, and the words after it are its arguments", async () => {
  expect((await findCommand(["keys:list", "--json"]))?.rest).toEqual(["--json"]);
  expect((await findCommand(["keys", "nonsense"]))?.rest).toEqual(["nonsense"]);
  expect((await findCommand(["get", "pay_1"]))?.rest).toEqual(["pay_1"]);
});
