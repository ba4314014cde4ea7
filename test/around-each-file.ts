import { afterAll } from "vitest";
import { closeAll } from "./open-until-file-ends.ts";

// Evaluated for each file of tests, unlike the modules that it imports.
afterAll(closeAll);
