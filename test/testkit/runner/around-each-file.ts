import { afterAll, vi } from "vitest";
import { closeAll } from "../open-until-file-ends.ts";

// Evaluated for each file of tests, unlike the modules that it imports. A file's mocks of the process, such as
// Math.random, must not stay for the next file of the worker.
afterAll(async () => {
  vi.restoreAllMocks();
  await closeAll();
});
