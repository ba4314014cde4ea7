import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The parent of the tests' temporary folders; it is removed after the run. */
    temporaryFolder: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "payments-test-"));
  chmodSync(folder, 0o755); // some tests run a program as another user
  project.provide("temporaryFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
