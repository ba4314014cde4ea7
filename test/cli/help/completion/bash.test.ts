import { describe, expect, test } from "vitest";
import { helpFlag } from "../../../../src/cli/help/describe.ts";
import { testCards } from "../../../../src/contract/known-test-cards.ts";
import { completeInBash } from "./complete-in-bash.ts";

describe("bash completes", () => {
  test.each([
    ["the first word", ["re"], ["refund"]],
    ["several", ["lo"], ["login", "logout"]],
    ["a command of a group", ["keys", "r"], ["roll", "revoke"]],
    ["a subject of help", ["help", "en"], ["environment"]],
    ["a command of a group after help", ["help", "keys", "cr"], ["create"]],
    ["an argument of few values", ["mode", ""], ["test", "live"]],
    ["a shell", ["completion", "z"], ["zsh"]],
    ["an argument after flags and their values", ["mode", "--json", "l"], ["live"]],
    ["a flag", ["list", "--stat"], ["--status"]],
    ["a flag that has a letter", ["refund", "-"], expect.arrayContaining(["--yes", "-y"])],
    ["a flag of a command of a group", ["keys", "roll", "--ov"], ["--overlap"]],
    ["a flag after an argument", ["get", "pay_1", "--js"], ["--json"]],
    ["a flag without a command", ["--ver"], ["--version"]],
    ["a value", ["list", "--status", "fa"], ["failed"]],
    ["every value", ["list", "--mode", ""], ["test", "live"]],
    ["a log level", ["serve", "--log-level", "de"], ["debug"]],
    ["a currency", ["create", "--currency", ""], ["eur", "usd", "gbp"]],
    ["an outcome", ["create", "--expect", "insu"], ["insufficient_funds"]],
    ["a type of events", ["events", "list", "--type", "payment.f"], ["payment.failed"]],
    [
      "what an endpoint is sent",
      ["webhooks", "update", "we_1", "--events", "payment.re"],
      ["payment.refunded"],
    ],
    ["the commands of a group", ["webhooks", "de"], ["deliveries", "delete"]],
    ["a test card", ["create", "--test-card", ""], testCards.map(({ name }) => name)],
    ["a value joined by =, which bash breaks", ["list", "--status", "=", "fa"], ["failed"]],
    ["every value joined by =", ["list", "--mode", "="], ["test", "live"]],
    [
      "a flag after a value with breaks",
      ["list", "--database", "sqlite", ":", "p.db", "--js"],
      ["--json"],
    ],
  ])("%s: %j", (_, words, completions) => {
    expect(completeInBash(words)).toEqual(completions);
  });

  test("a value joined by = if bash does not break words there", () => {
    expect(completeInBash(["list", "--status=fa"], { breaks: " \t\n" })).toEqual([
      "--status=failed",
    ]);
  });

  test("words in a shell with another IFS", () => {
    expect(completeInBash(["list", "--mode", ""], { setup: "IFS=:; set -u" })).toEqual([
      "test",
      "live",
    ]);
  });

  test("flags if nothing else can follow", () => {
    const flags = ["--no-color", "--no-input", "--json", "--output", "--help"];
    expect(completeInBash(["test-cards", ""])).toEqual(flags);
    expect(completeInBash(["mode", "live", ""])).toEqual(flags);
  });

  test.each([
    [["list", "--limit", ""]],
    [["list", "--status", "x"]],
    [["list", "--json", "=", ""]],
    [["create", "--data", ""]],
    [["nonsense", "--js"]],
    [["help", "list", ""]],
    [["get", "pay_01a2"]],
    [["mode", "live", "x"]],
  ])("nothing of its own for %j", (words) => {
    expect(completeInBash(words)).toEqual([]);
  });

  test("future commands and flags, whatever characters their values contain", () => {
    const flag = {
      ...helpFlag,
      name: "tone",
      char: "t",
      valueName: "tone",
      values: ["don't", "do"],
    };
    const sing = { words: ["sing"], next: [], arguments: [], flags: [flag] };
    const start = { words: [], next: [{ name: "sing", summary: "" }], arguments: [], flags: [] };
    const completed = [start, sing];
    expect(completeInBash(["s"], { completed })).toEqual(["sing"]);
    expect(completeInBash(["sing", "-"], { completed })).toEqual(["--tone", "-t"]);
    expect(completeInBash(["sing", "--tone", "do"], { completed })).toEqual(["don't", "do"]);
    expect(completeInBash(["sing", "-t", ""], { completed })).toEqual(["don't", "do"]);
  });
});
