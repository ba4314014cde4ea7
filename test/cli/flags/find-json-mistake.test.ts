import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonMistake } from "../../../src/cli/flags/find-json-mistake.ts";
import { tryParseJson } from "../../../src/runtime/text.ts";

test.each<[what: string, text: string, place: string]>([
  ["nothing", " \n", "1:1 it is empty"],
  [
    "a missing comma",
    '{\n  "amount": 4999\n  "currency": "eur"\n}',
    "3:3 a comma is missing before this",
  ],
  ["a comma at the end of an object", '{"a": 1,\n}', "2:1 a comma stands before this }"],
  ["a comma at the end of a list", "[1,]", "1:4 a comma stands before this ]"],
  ["single quotes", "{'a': 1}", "1:2 a field's name must stand in double quotes"],
  ["a name without quotes", "{a: 1}", "1:2 a field's name must stand in double quotes"],
  ["a text without quotes", '{"a": eur}', "1:7 a text must stand in double quotes"],
  ["a word processor's quotes", '{"a": “eur”}', "1:7 a text must stand in double quotes"],
  ["a missing colon", '{"a" 1}', "1:6 a colon is missing after a field's name"],
  ["a missing value", '{"a": }', "1:7 a value is missing before this }"],
  ["two commas", "[1,,2]", "1:4 a value is missing before this comma"],
  ["a text that is not closed", '{"a": "b', "1:7 the text that begins here is never closed"],
  [
    "a line break in a text",
    '{"a": "b\n"}',
    String.raw`1:9 a text must end on its line; a line break in it is written \n`,
  ],
  ["a tab in a text", '{"ä😀\t": 1}', String.raw`1:5 a tab in a text is written \t`],
  [
    "an unknown escape",
    String.raw`{"a": "C:\windows"}`,
    String.raw`1:10 after \ comes one of " \ / b f n r t, or u and four digits`,
  ],
  [
    "an object that is not closed",
    '[1, {"a": 1',
    "1:5 it ends before the { that begins here is closed",
  ],
  ["the wrong bracket", '{"a": [1}', "1:9 ] is missing before this }"],
  ["a comment", '{ // amount\n"a": 1}', "1:3 JSON has no comments"],
  ["a second value", '{"a": 1}\r\n{}', "2:1 nothing may follow the end of the value"],
  ["Python's constants", '{"a": None}', "1:7 this is no value of JSON"],
  ["capitals", '{"a": True}', "1:7 true, false and null are written in lower case"],
  ["a leading zero", '{"a": 012}', "1:7 a number has no 0 before its other digits"],
  ["a plus", '{"a": +1}', "1:7 a number begins with a digit, or a minus and a digit"],
  ["a number without its decimals", '{"a": 1.}', "1:7 this is no number of JSON"],
  ["an amount with a comma", '{"a": 49,99}', "1:10 a field's name must stand in double quotes"],
])("finds %s", (_, text, place) => {
  const { line, column, reason } = findJsonMistake(text) ?? {};
  expect(`${line}:${column} ${reason}`).toBe(place);
});

const value = fc.json();
const cut = fc.tuple(value, fc.nat(), fc.nat(3), fc.string({ maxLength: 2 }));

test("finds a mistake exactly in what JSON.parse refuses", () => {
  fc.assert(
    fc.property(cut, ([text, position, length, inserted]) => {
      const at = position % (text.length + 1);
      const changed = text.slice(0, at) + inserted + text.slice(at + length);
      const isJson = tryParseJson(changed) !== undefined;
      expect(findJsonMistake(changed) === undefined).toBe(isJson);
    }),
    { numRuns: 2_000 },
  );
});

test("takes a mebibyte of brackets, and of escapes", () => {
  expect(findJsonMistake("[".repeat(1_000_000))?.column).toBe(1_000_000);
  expect(findJsonMistake(`"${String.raw`\n`.repeat(500_000)}"`)).toBeUndefined();
});
