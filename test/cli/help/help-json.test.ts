import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { commandGroups } from "../../../src/cli/help/describe.ts";
import { commands, root } from "../../testkit/command/built-commands.ts";
import { type CommandJson, type HelpJson, helpJson } from "../../testkit/command/help-json.ts";
import { parseError, runPayments } from "../../testkit/command/run-payments.ts";

const schema = JSON.parse(readFileSync(join(root, "docs/help.schema.json"), "utf8")) as object;
const isHelp = new Ajv2020({ allErrors: true }).compile<HelpJson>(schema);

const own = commands.filter(({ words }) => !Object.hasOwn(commandGroups, words.join(" ")));

test("has every command, in the form of docs/help.schema.json", async () => {
  const help = await helpJson();
  isHelp(help);
  expect(isHelp.errors).toBe(null);
  expect(help.commands.map(({ id }) => id)).toEqual(own.map(({ words }) => words.join(" ")));
});

test("a command that does not say what it writes, how it ends and what it prints fails here", () => {
  const silent = own.filter(({ facts }) => facts === undefined);
  expect(silent.map(({ words }) => `${words.join(" ")} needs its facts`)).toEqual([]);
});

/** What a command says of flags, codes or responses that do not exist, or says twice. */
function findMistakes({ id, flags, repeatable, exit_codes: exits, output }: CommandJson) {
  const named = [
    ...flags.flatMap(({ excludes, needs }) => [...excludes, ...needs.flat()]),
    ...(typeof repeatable === "object" ? [repeatable.with] : []),
  ];
  const all = new Set(flags.map(({ name }) => name));
  const codes = exits.map(({ code }) => code);
  const fields = output?.fields ?? [];
  return [
    ...named.filter((name) => !all.has(name)),
    ...codes.filter((code, at) => codes.indexOf(code) !== at),
    ...fields.filter((field, at) => fields.indexOf(field) !== at),
    ...(output?.object === "undefined" ? ["an endpoint that does not exist"] : []),
  ].map((mistake) => `${id}: ${mistake}`);
}

test("what a command says names flags and responses that exist, and each code and field once", async () => {
  const { commands: described } = await helpJson();
  expect(described.flatMap(findMistakes)).toEqual([]);
});

test.each([
  [["refund"], ["refund"]],
  [["keys", "create"], ["keys create"]],
  [["keys:create"], ["keys create"]],
  [["keys create"], ["keys create"]],
  [["keys"], ["keys create", "keys list", "keys revoke", "keys roll"]],
  [["exit-codes"], []],
])("payments help %j --json has the same form, with %j alone", async (words, ids) => {
  const help = await helpJson(...words);
  isHelp(help);
  expect(isHelp.errors).toBe(null);
  expect(help.commands.map(({ id }) => id)).toEqual(ids);
});

test("words that name no command are an error, in JSON too", async () => {
  const ran = await runPayments(["help", "refnd", "--json"]);
  expect(ran.exitCode).toBe(2);
  expect(parseError(ran)).toMatchObject({ hint: "Did you mean payments refund?" });
});
