import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readKeyFile } from "../../../src/cli/flags/read-input.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const tooLarge = expect.objectContaining({
  ending: "usage",
  message: "--api-key-file is larger than 4 KiB, which no key is.",
}) as Error;

test("a key's file may have at most 4 KiB", async () => {
  const file = join(createTemporaryHome(), "key.txt");
  writeFileSync(file, "k".repeat(4096));
  expect(await readKeyFile(file)).toHaveLength(4096);
  writeFileSync(file, "k".repeat(4097));
  await expect(readKeyFile(file)).rejects.toThrow(tooLarge);
});

test("a key's file without an end is not read to the end", async () => {
  await expect(readKeyFile("/dev/zero")).rejects.toThrow(tooLarge);
});

test("a key's file cannot be a directory", async () => {
  await expect(readKeyFile(createTemporaryHome())).rejects.toThrow(
    "--api-key-file cannot be read: it is a directory.",
  );
});

test("a key's file may be in UTF-16, as PowerShell writes it", async () => {
  const file = join(createTemporaryHome(), "key.txt");
  writeFileSync(file, Buffer.from("\ufeffsvc_test_sk_1\r\n", "utf16le"));
  expect(await readKeyFile(file)).toBe("svc_test_sk_1\r\n");
});
