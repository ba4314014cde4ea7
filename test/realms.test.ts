import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Runners such as jest give each test file a realm of its own. There `error instanceof Error` is false for what Node
// throws, and a class may exist twice. `npm run package:npm` runs the package in each of them.

const files = globSync("src/**/*.ts").map((path) => ({ path, text: readFileSync(path, "utf8") }));
const ownClasses = new Set(
  files.flatMap(({ text }) => [...text.matchAll(/\bclass (\w+)/g)].map(([, name]) => name)),
);

function findAll(pattern: RegExp): { path: string; found: string }[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ path, found: match[1] ?? match[0] })),
  );
}

test("instanceof asks for the program's own classes alone: others have a code, a name or a brand", () => {
  const asked = findAll(/\binstanceof\s+([\w.]+)/g);
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter(({ found }) => !ownClasses.has(found))).toEqual([]);
});

test("nothing compares a value's constructor or prototype, which each realm has of its own", () => {
  const pattern =
    /\.constructor\s*[!=]==?|[!=]==?\s*[\w.]+\.(?:constructor|prototype)\b|getPrototypeOf\(|isPrototypeOf\(/g;
  expect(findAll(pattern)).toEqual([]);
});
