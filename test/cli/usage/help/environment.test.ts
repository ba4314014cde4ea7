import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environment } from "../../../../src/cli/usage/help/environment.ts";
import { root } from "../../commands/built-commands.ts";

const told = environment.map(([name]) => name).filter((name) => name.startsWith("PAYMENTS_"));

test("every variable of ours that the program reads is told, and no other", () => {
  const sources = globSync("src/**/*.ts", { cwd: root }).filter(
    (file) => !file.startsWith("src/help/"),
  );
  const read = sources.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/(?<=env\[")PAYMENTS_[A-Z_]+(?="\])/g)].map(
      String,
    ),
  );
  expect([...new Set(read)].toSorted()).toEqual(told.toSorted());
});
