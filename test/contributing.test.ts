import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = readFileSync(`${root}CONTRIBUTING.md`, "utf8");
const read = (path: string) => readFileSync(root + path, "utf8");

test("every file and folder that CONTRIBUTING.md names exists", () => {
  const paths = [...text.matchAll(/`((?:src|bin|test|docs)\/[\w./-]+)`/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(root + path))).toEqual([]);
});

test("each of the ten steps from the launcher to the commit names a function of its file", () => {
  const steps = [...text.matchAll(/^\|[ \d]+\| `([^`]+)` +\| `(\w+)` +\|/gm)];
  expect(steps.length).toBe(10);
  for (const [, path = "", name = ""] of steps) {
    expect(read(path)).toMatch(new RegExp(`(?:function|async) ${name}\\b`));
  }
});
