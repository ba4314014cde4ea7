import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readKeyFile } from "../../../src/cli/settings/key-file.ts";
import { newHome } from "./temporary-home.ts";

const tooLarge = expect.objectContaining({
  kind: "usage",
  message: "--api-key-file is larger than 4 KiB, which no key is.",
}) as Error;

test("a key's file may hold 4 KiB, and no more", () => {
  const file = join(newHome(), "key.txt");
  writeFileSync(file, "k".repeat(4096));
  expect(readKeyFile(file)).toHaveLength(4096);
  writeFileSync(file, "k".repeat(4097));
  expect(() => readKeyFile(file)).toThrow(tooLarge);
});

test("a key's file that never ends is not read to the end", () => {
  expect(() => readKeyFile("/dev/zero")).toThrow(tooLarge);
});

test("a key's file cannot be a directory", () => {
  expect(() => readKeyFile(newHome())).toThrow("--api-key-file cannot be read: it is a directory.");
});
