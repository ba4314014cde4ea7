import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../testkit/command/built-commands.ts";
import type { Mutation } from "./mutation.ts";

// `npm run mutations` takes hours, so what it would not find is noticed here.

test("every mutation finds its text in its file, once", async () => {
  const files = globSync("*.mutations.ts", { cwd: import.meta.dirname });
  const modules = await Promise.all(
    files.map(async (file) => (await import(`./${file}`)) as { mutations: readonly Mutation[] }),
  );
  const mutations = modules.flatMap((module) => module.mutations);
  expect(mutations.length).toBeGreaterThan(200);
  const lost = mutations.filter(
    ({ file, from }) => readFileSync(join(root, "src", file), "utf8").split(from).length !== 2,
  );
  expect(lost).toEqual([]);
});
