import { describe, expect, test } from "vitest";
import { listSubcommands } from "../../../../src/cli/help/command-tree.ts";
import { helpFlag } from "../../../../src/cli/help/describe.ts";
import {
  listCompletedCommands,
  type CompletedCommand,
} from "../../../../src/cli/help/completion/completed-commands.ts";
import { toFishCompletion } from "../../../../src/cli/help/completion/fish.ts";
import { commands } from "../../../testkit/command/built-commands.ts";

const built = listCompletedCommands(commands);

describe("the fish script", () => {
  test("offers the commands in the order of the help, with their summaries", () => {
    const offered = listCompletions('__payments_at "" 0', built)[0]?.["-a"] ?? "";
    expect(offered).toMatch(/^create\\t'Create a payment\.' get\\t'Show one payment\.' list/);
    for (const { words, summary } of listSubcommands([], commands)) {
      expect(offered).toContain(`${words[0]}\\t${quoted(summary)}`);
    }
    expect(offered).toContain(String.raw`migrate\t'Bring a database\'s schema`);
  });

  test("offers commands and topics after help", () => {
    expect(listCompletions('__payments_at "help" 0', built)[0]?.["-a"]).toContain("exit-codes");
    expect(listCompletions('__payments_at "help keys" 0', built)[0]?.["-a"]).toContain("revoke");
  });

  test("offers files for an argument that is a file", () => {
    expect(listCompletions('__payments_at "backup" 0', built)[0]).toMatchObject({ "-F": "" });
  });

  test("offers flags with their letters, values and files", () => {
    expect(listFlags("refund").get("yes")).toMatchObject({ "-s": "y" });
    expect(listFlags("list").get("status")).toMatchObject({
      "-a": "pending succeeded failed refunded",
      "-d": "Only payments of this status.",
    });
    expect(listFlags("create").get("currency")).toMatchObject({ "-a": "eur usd gbp" });
    expect(listFlags("create").get("data")).toMatchObject({ "-F": "" });
    expect([...listFlags("keys create").keys()]).toEqual([
      "no-color",
      "no-input",
      "mode",
      "name",
      "account",
      "database",
      "json",
      "output",
      "help",
    ]);
  });

  test("offers the values of an argument only at its position", () => {
    expect(listCompletions('__payments_at "mode" 0', built)).toMatchObject([{ "-a": "test live" }]);
    expect(listCompletions('__payments_at "completion" 0', built)).toMatchObject([
      { "-a": "bash zsh fish" },
    ]);
  });

  test("lists the flags that take the next word, by name and by letter", () => {
    const flag = {
      ...helpFlag,
      name: "tone",
      char: "t",
      valueName: "tone",
      summary: String.raw`Don't \o`,
    };
    const script = toFishCompletion([{ words: ["sing"], next: [], arguments: [], flags: [flag] }]);
    expect(script).toContain("set -g __payments_valued 'sing --tone' 'sing -t'\n");
    expect(script).toContain(String.raw`-l tone -s t -x -d 'Don\'t \\o'`);
  });

  test("closes every quote that it opens", () => {
    for (const line of toFishCompletion(built).split("\n")) {
      if (!line.startsWith("complete")) continue;
      expect(line.replaceAll(/'(?:\\.|[^'\\])*'/g, "")).not.toContain("'");
    }
  });
});

function listFlags(path: string) {
  const lines = listCompletions(`__payments_at "${path}"`, built);
  return new Map(lines.map((line) => [line["-l"], line]));
}

/** The `complete` lines under a condition, their options by name. */
function listCompletions(
  condition: string,
  completed: readonly CompletedCommand[],
): Record<string, string>[] {
  const start = `complete -c payments -n '${condition}' `;
  return toFishCompletion(completed)
    .split("\n")
    .filter((line) => line.startsWith(start))
    .map((line) => {
      const words = line.slice(start.length).matchAll(/(-\w)(?: (\w[\w-]*|'(?:\\.|[^'\\])*'))?/g);
      return Object.fromEntries(
        [...words].map(([, name, value = ""]) => [name, removeQuotes(value)]),
      );
    });
}

function removeQuotes(word: string): string {
  return word.replace(/^'([^]*)'$/, "$1").replaceAll(/\\([\\'])/g, "$1");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`\'`)}'`;
}
