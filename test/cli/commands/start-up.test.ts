import { expect, test } from "vitest";
import { entries, listLoadedFiles, selectContained } from "../../testkit/command/built-sources.ts";

/** The modules for help, and for a mistyped command line. */
const suggestions = "src/cli/help/suggest.ts";
const completion = "src/cli/help/completion.ts";
const help = "src/cli/help/command-help.ts";
const guidance = [suggestions, completion, help];

const commands = entries.filter((entry) => entry.startsWith("src/cli/commands/"));
const ordinary = commands.filter((entry) => !/\/(?:help|completion)\.ts$/.test(entry));

test.each(["src/cli/program/main.ts", ...ordinary])(
  "an ordinary command loads no help, completion or suggestions: %s",
  (entry) => {
    expect(selectContained(listLoadedFiles(entry), guidance)).toEqual([]);
  },
);

test("the commands for help load the modules for help", () => {
  expect(selectContained(listLoadedFiles("src/cli/help/show-help.ts"), guidance)).toEqual([
    suggestions,
    help,
  ]);
  const loaded = listLoadedFiles("src/cli/commands/completion.ts");
  expect(selectContained(loaded, guidance)).toEqual([completion]);
});

test.each(ordinary)("the code for tables is loaded only for a table: %s", (entry) => {
  const tables = ["node_modules/cli-table3/", "node_modules/string-width-esm/"];
  expect(selectContained(listLoadedFiles(entry), tables)).toEqual([]);
});

test.each(commands)("the code for proxies is loaded only for a proxy: %s", (entry) => {
  const proxies = ["node_modules/undici/lib/dispatcher/proxy-agent.js"];
  expect(selectContained(listLoadedFiles(entry), proxies)).toEqual([]);
});
