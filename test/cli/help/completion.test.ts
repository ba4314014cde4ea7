import { describe, expect, test } from "vitest";
import { completionScripts, listCandidates } from "../../../src/cli/help/completion.ts";
import { listSubcommands } from "../../../src/cli/help/command-tree.ts";
import { testCards } from "../../../src/contract/card.ts";
import { commands } from "../../testkit/command/built-commands.ts";

const contexts = async () =>
  Promise.resolve(["production", "staging", "embedded"].map((name) => ({ name })));
const complete = async (words: string[]) =>
  (await listCandidates(words, commands, contexts)).map(({ name }) => name);
const flags = ["--no-color", "--no-input", "--json", "--output", "--help"];

describe("what may follow a command line", () => {
  test.each([
    ["the first word", ["re"], ["refund", "report", "reconcile"]],
    ["several", ["lo"], ["logs", "login", "logout"]],
    ["a command of a group", ["keys", "r"], ["roll", "revoke"]],
    ["a subject of help", ["help", "en"], ["environment"]],
    ["a command of a group after help", ["help", "keys", "cr"], ["create"]],
    ["an argument of few values", ["mode", ""], ["test", "live"]],
    ["an argument after flags and their values", ["mode", "--json", "l"], ["live"]],
    ["a flag", ["list", "--stat"], ["--status"]],
    ["a flag that has a letter", ["refund", "-"], expect.arrayContaining(["--yes", "-y"])],
    ["a flag after an argument", ["get", "pay_1", "--js"], ["--json"]],
    ["a flag without a command", ["--ver"], ["--version"]],
    ["a value", ["list", "--status", "fa"], ["failed"]],
    ["every value", ["list", "--mode", ""], ["test", "live"]],
    ["a value after a letter", ["list", "-o", "c"], ["csv"]],
    ["a value joined by =", ["list", "--status=fa"], ["--status=failed"]],
    ["a currency", ["create", "--currency", ""], ["eur", "usd", "gbp"]],
    ["a currency to search for", ["list", "--currency", "g"], ["gbp"]],
    ["a brand", ["list", "--brand", "m"], ["mastercard", "maestro"]],
    ["a decline code", ["list", "--decline-code=ex"], ["--decline-code=expired_card"]],
    ["nothing for words", ["list", "--search", ""], []],
    ["an outcome", ["create", "--expect", "insu"], ["insufficient_funds"]],
    ["a test card", ["create", "--test-card", ""], testCards.map(({ name }) => name)],
    ["flags if nothing else can follow", ["test-cards", ""], flags],
    [
      "flags after the last argument",
      ["mode", "live", ""],
      [...flags.slice(0, 2), "--context", ...flags.slice(2)],
    ],
    ["a context", ["list", "--context", "st"], ["staging"]],
    ["a context joined by =", ["create", "--context=pr"], ["--context=production"]],
    ["a context to use", ["context", "use", ""], ["production", "staging", "embedded"]],
    ["a context to show, and none behind it", ["context", "show", "staging", ""], flags],
    ["a file for a flag", ["create", "--data", "pay"], ["<path>"]],
    ["a file joined by =", ["create", "--card-file=pay"], ["<path>"]],
    ["a file for an argument", ["backup", ""], ["<path>"]],
    ["nothing for a number", ["list", "--limit", ""], []],
    ["nothing for a switch", ["list", "--json="], []],
    ["nothing after what is no command", ["nonsense", "--js"], []],
    ["nothing after a subject of help", ["help", "list", ""], []],
    ["nothing for an id", ["get", "pay_01a2"], []],
  ])("%s: %j", async (_, words, candidates) => {
    expect(await complete(words)).toEqual(candidates);
  });

  test("has summaries, in the order of the help", async () => {
    expect(await listCandidates([""], commands)).toEqual(
      listSubcommands([], commands).map(({ words, summary }) => ({ name: words[0], summary })),
    );
  });
});

test.each(Object.entries(completionScripts))("the script for %s asks the command", (_, script) => {
  expect(script).toContain("payments __complete");
  expect(script).not.toContain("undefined");
});
