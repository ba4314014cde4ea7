import { expect, test } from "vitest";
import { toReferencePage } from "../../../src/cli/help/reference-page.ts";
import { commands } from "../../testkit/command/built-commands.ts";

const page = toReferencePage(commands);
const chapters = new Map(
  page.split("\n## ").map((chapter) => [chapter.slice(0, chapter.indexOf("\n")), chapter]),
);

test("every command has a chapter with its summary, flags and examples", () => {
  for (const { words, summary, flags, examples } of commands) {
    const chapter = chapters.get(["payments", ...words].join(" "));
    expect(chapter).toContain(`\n\n${summary}\n`);
    for (const { name } of flags.filter((flag) => flag.name !== "help")) {
      expect(chapter).toContain(`--${name}`);
    }
    for (const { command } of examples) expect(chapter).toContain(`\n${command}\n`);
  }
});

test("flags are listed in their groups, with values and defaults", () => {
  const create = chapters.get("payments create") ?? "";
  expect(create.indexOf("| Card flag |")).toBeGreaterThan(create.indexOf("| Flag |"));
  expect(create).toContain(
    "| `--request-timeout <duration>` | How long each attempt may take. Default: 30s. |",
  );
  expect(create).toMatch(/\| `--test-card <name>` \| .+ One of visa, mastercard/);
});

test("no row of a table has more than two cells", () => {
  for (const row of page.split("\n").filter((line) => line.startsWith("|"))) {
    expect(row.replaceAll(String.raw`\|`, "").split("|")).toHaveLength(4);
  }
});

test("every link of the contents leads to a chapter", () => {
  const targets = [...page.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, target]) => target);
  const headings = [...chapters.keys()].map((heading) => heading.replaceAll(" ", "-"));
  expect(targets).toHaveLength(commands.length);
  for (const target of targets) expect(headings).toContain(target);
});

test("a description's commands are code, and every block of code is closed", () => {
  expect(chapters.get("payments completion")).toContain(
    "in ~/.bashrc:\n\n```sh\nsource <(payments completion bash)\n```\n",
  );
  expect(page.split("\n").filter((line) => line.startsWith("```")).length % 2).toBe(0);
});

test("the page has the exit codes and the variables", () => {
  expect(chapters.get("Exit codes")).toContain("| `5` | not found |");
  expect(chapters.get("Environment")).toContain("| `PAYMENTS_HOME` |");
});
