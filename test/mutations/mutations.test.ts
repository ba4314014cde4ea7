import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stages } from "../../bench/cost-stages.ts";
import { mutations, readMutations } from "./mutations.ts";
import { findPlaces, readParts } from "./place.ts";

// `npm run mutations` takes hours, so what it would not find is noticed here.

test("every mutation, and every stage that npm run bench takes out, finds its place in the source, once", () => {
  expect(mutations.length).toBeGreaterThan(300);
  const parts = readParts();
  const changes = [...mutations, ...stages.flatMap((stage) => stage.changes)];
  const lost = changes.flatMap((change) => {
    const places = findPlaces(change, parts);
    if (places.length === 1) return [];
    return { in: change.in, from: change.from, places: places.map(({ file }) => file) };
  });
  expect(lost).toEqual([]);
});

test("every mutation names tests that there are", () => {
  const files = globSync("**/*.test.ts", { cwd: join(import.meta.dirname, "..") });
  const named = new Set(mutations.flatMap(({ tests }) => tests));
  expect([...named].filter((name) => !files.some((file) => file.includes(name)))).toEqual([]);
});

test("a place is found by its words, however they are laid out", () => {
  const text = "const a = f(\n  one, // why\n  two,\n);\nconst b = g(one, two);";
  const parts = [{ file: "service/a.ts", names: ["a", "a.ts a"], start: 100, text }];
  const find = (from: string, name = "a") =>
    findPlaces({ in: name, from }, parts).map(({ start, end }) =>
      text.slice(start - 100, end - 100),
    );
  expect(find("f(one, two)")).toEqual([]);
  const blanked = [{ ...parts[0]!, text: text.replace("// why", "      ") }];
  expect(findPlaces({ in: "a", from: "f(one, two)" }, blanked)).toHaveLength(1);
  expect(find("g( one,two );", "a.ts a")).toEqual(["g(one, two);"]);
  expect(find("g(one, tw")).toEqual([]);
  expect(find("g(one, two)", "b")).toEqual([]);
  expect(find("one")).toEqual(["one", "one"]);
});

test("mutations are read as they are written, and a line that is none is an error", () => {
  const text =
    "@ cli/a service/b (postgres)\nf: harm: all\n- a - b\n+ a + b\na.ts g: x\n- c\n\n@ d\nh: y\n- e\n+ f\n";
  expect(readMutations(text)).toEqual([
    {
      breaks: "harm: all",
      in: "f",
      from: "a - b",
      to: "a + b",
      tests: ["cli/a", "service/b"],
      project: "postgres",
    },
    {
      breaks: "x",
      in: "a.ts g",
      from: "c",
      to: "",
      tests: ["cli/a", "service/b"],
      project: "postgres",
    },
    { breaks: "y", in: "h", from: "e", to: "f", tests: ["d"], project: "sqlite" },
  ]);
  for (const wrong of [
    "f: x\n- a\n",
    "@ a\nf\n- a\n",
    "@ a\nf: x\n+ a\n",
    "@ a\nf: x\n- a\n- b\n",
  ]) {
    expect(() => readMutations(wrong)).toThrow("No mutation");
  }
});
