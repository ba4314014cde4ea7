import { afterAll, vi } from "vitest";
import { closeAll } from "../open-until-file-ends.ts";

// Evaluated for each file of tests, unlike the modules that it imports. What a file has put in the place of
// something of the process, such as chance, does not stay for the next file of the worker.
afterAll(async () => {
  vi.restoreAllMocks();
  await closeAll();
});
