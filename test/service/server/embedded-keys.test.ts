import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { apiKeyPattern } from "../../../src/contract/key.ts";
import {
  resolveEmbeddedKeyFile,
  openEmbeddedKeys,
} from "../../../src/service/server/embedded-keys.ts";

/** The path of a folder that does not exist yet. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "payments-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "data");
}

test("the embedded service's keys are created at the first use, and then reused", async () => {
  const folder = newFolder();
  const keys = await openEmbeddedKeys(folder);
  expect(keys.test).toMatch(/^svc_test_sk_/);
  expect(keys.live).toMatch(/^svc_live_sk_/);
  for (const key of Object.values(keys)) expect(key).toMatch(apiKeyPattern);
  expect(await openEmbeddedKeys(folder)).toEqual(keys);
  expect(readdirSync(folder)).toEqual(["embedded-keys.json"]);
});

test("concurrent first uses get the same keys", async () => {
  const folder = newFolder();
  const all = await Promise.all(Array.from({ length: 5 }, async () => openEmbeddedKeys(folder)));
  expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
});

test("only the owner can read the key file and its folder", async () => {
  const folder = newFolder();
  await openEmbeddedKeys(folder);
  expect(statSync(resolveEmbeddedKeyFile(folder)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a damaged key file is an error, and is not changed", async () => {
  const folder = join(newFolder(), "..");
  const file = resolveEmbeddedKeyFile(folder);
  writeFileSync(file, '{"test":"svc_test_sk_short"}');
  await expect(openEmbeddedKeys(folder)).rejects.toMatchObject({
    name: "Unavailable",
    message: `The file ${file} is damaged.`,
  });
  expect(readFileSync(file, "utf8")).toBe('{"test":"svc_test_sk_short"}');
});

test("a folder that cannot be created is an error with a remedy", async () => {
  const file = join(newFolder(), "..", "file");
  writeFileSync(file, "");
  await expect(openEmbeddedKeys(join(file, "data"))).rejects.toMatchObject({
    name: "Unavailable",
    hint: expect.stringContaining("PAYMENTS_HOME") as unknown,
  });
});
