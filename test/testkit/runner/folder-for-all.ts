import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where tests make their temporary folders; it goes with all that is in it when they are over. */
    temporaryFolder: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "payments-test-"));
  chmodSync(folder, 0o755); // some tests let another user in
  project.provide("temporaryFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
