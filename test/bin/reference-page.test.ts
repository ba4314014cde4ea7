import { expect, test } from "vitest";
import { toReferencePage } from "../../bin/reference-page.ts";
import { commands } from "../testkit/command/built-commands.ts";

const page = toReferencePage(commands);
const chapters = new Map(
  page.split("\n## ").map((chapter) => [chapter.slice(0, chapter.indexOf("\n")), chapter]),
);

test("every command has a chapter with its help", () => {
  for (const { words, summary, flags, examples } of commands) {
    const chapter = chapters.get(["payments", ...words].join(" "));
    expect(chapter).toContain(`\n${summary}\n`);
    for (const { name } of flags) expect(chapter).toContain(`--${name}`);
    for (const example of examples) expect(chapter).toContain(`$ ${example}\n`);
  }
});

test("every link of the contents leads to a chapter", () => {
  const targets = [...page.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, target]) => target);
  const headings = [...chapters.keys()].map((heading) => heading.replaceAll(" ", "-"));
  expect(targets).toHaveLength(commands.length);
  for (const target of targets) expect(headings).toContain(target);
});

test("every block of code is closed", () => {
  expect(page.split("\n").filter((line) => line.startsWith("```")).length % 2).toBe(0);
});

test("the page has the exit codes and the variables", () => {
  expect(chapters.get("exit-codes")).toMatch(/^ {2}5 +not found$/m);
  expect(chapters.get("environment")).toContain("PAYMENTS_HOME");
});
