import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { keepUntilFileEnds } from "./open-until-file-ends.ts";

/** The parent folder of all tests of a worker. */
export const temporaryRoot = mkdtempSync(join(inject("temporaryFolder"), "worker-"));

/** Creates an empty folder for a test, deleted after the tests of its file. */
export function createTemporaryHome(): string {
  const home = mkdtempSync(join(temporaryRoot, "home-"));
  keepUntilFileEnds(home);
  return home;
}

/** Well-formed keys that no service has issued. */
export const someKeys = {
  test: "svc_test_sk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg",
  live: "svc_live_sk_gfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA9876543210",
} as const;

/** The path of a new database file, in a folder that is removed after the test. */
export function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "payments-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "payments.db");
}
