import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder for the tests of one file, deleted after them. */
export const temporaryRoot = mkdtempSync(join(tmpdir(), "payments-test-"));
afterAll(() => {
  rmSync(temporaryRoot, { recursive: true, force: true });
});

/** An empty folder of its own for a test. */
export function newHome(): string {
  return mkdtempSync(join(temporaryRoot, "home-"));
}

/** Keys that are well-formed, but that no service has issued. */
export const someKeys = {
  test: "svc_test_sk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg",
  live: "svc_live_sk_gfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA9876543210",
} as const;
