import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./built-commands.ts";

/** What is loaded only where somebody asks for help, or typed what is not there. */
const guidance = ["Did you mean", "Made by:", "READ ON"];

test.each(["main", "commands/create", "commands/list", "commands/refund", "commands/serve"])(
  "an ordinary command loads no help, completion or suggestions: %s",
  (entry) => {
    expect(guidanceIn(entry)).toEqual([]);
  },
);

test("those who ask for it get it", () => {
  expect(guidanceIn("help")).toEqual(["Did you mean", "READ ON"]);
  expect(guidanceIn("commands/completion")).toEqual(["Made by:"]);
});

test("a proxy's part is loaded by no command before it is needed", () => {
  const files = [...loadedBy(join(root, "dist", "commands/list.js"))];
  const code = files.map((file) => readFileSync(file, "utf8"));
  expect(code.filter((source) => source.includes("when HTTP Tunneling"))).toEqual([]);
});

function guidanceIn(entry: string): string[] {
  const files = [...loadedBy(join(root, "dist", `${entry}.js`))];
  const code = files.map((file) => readFileSync(file, "utf8"));
  return guidance.filter((text) => code.some((source) => source.includes(text)));
}

/** A built file and all that it imports at once; what it may import later is left out. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const imports = readFileSync(file, "utf8").matchAll(/(?:from|import)"(\.{1,2}\/[^"]+)"/g);
  for (const [, path = ""] of imports) loadedBy(join(dirname(file), path), loaded);
  return loaded;
}
