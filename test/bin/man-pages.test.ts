import { expect, test } from "vitest";
import { toManPages } from "../../bin/man-pages.ts";
import { formatText } from "../../bin/roff.ts";
import { serveFlags } from "../../src/cli/config/serve-settings.ts";
import { toVariable } from "../../src/cli/flags/checked-values.ts";
import { commands } from "../testkit/command/built-commands.ts";

const pages = toManPages(commands);
const textOf = (file: string) => pages.find((page) => page.file === file)?.text ?? "";

test("the manual has a page of the program, of each command with its flags and examples, and of each topic", () => {
  expect(pages.map(({ file }) => file).toSorted()).toEqual(
    [
      "man1/payments.1",
      ...commands.map(({ words }) => `man1/payments-${words.join("-")}.1`),
      "man7/payments-environment.7",
      "man7/payments-exit-codes.7",
    ].toSorted(),
  );
  for (const { words, flags, examples } of commands) {
    const text = textOf(`man1/payments-${words.join("-")}.1`);
    for (const { name } of flags) expect(text).toContain(formatText(`--${name}`));
    for (const example of examples)
      expect(text.replaceAll(/ \\c\n(?:\\&)?/g, " ")).toContain(`\n${formatText(example)}\n`);
  }
});

test("the manual lists every variable of serve, and every exit code", () => {
  for (const flag of Object.keys(serveFlags)) {
    expect(textOf("man7/payments-environment.7")).toContain(`\\fB${toVariable(flag)}\\fR`);
  }
  expect(textOf("man7/payments-exit-codes.7")).toContain("\\fB5\\fR\nnot found\n");
});

test("each page that another names exists", () => {
  const names = new Set(pages.map(({ name, file }) => `${name}(${file.slice(-1)})`));
  for (const { text } of pages) {
    const plain = text.replaceAll(String.raw`\-`, "-").replaceAll(/\\f[BR]/g, "");
    const named = [...plain.matchAll(/payments[-a-z]*\(\d\)/g)].map(([name]) => name);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
    expect(named).not.toEqual([]);
  }
});

test("no text of a page is read as a request, and no line is longer than linters allow", () => {
  const requests = /^\.(?:TH|SH|TP|PP|RS 4|RE|nf|fi|nh)\b/;
  for (const { text } of pages) {
    const lines = text.split("\n");
    expect(lines.filter((line) => /^[.']/.test(line) && !requests.test(line))).toEqual([]);
    expect(lines.filter((line) => line.length > 80 && line.includes(" "))).toEqual([]);
    expect(text).not.toMatch(/[^\n\x20-\x7e]/);
  }
  expect(formatText("it's `a\\b` – -x")).toBe(String.raw`it\(aqs \(gaa\eb\(ga \[u2013] \-x`);
});
