import { fileURLToPath } from "node:url";
import { listCommands } from "../../../src/cli/help/describe.ts";

/** The folder of the package, whose built commands the tests look at. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The commands as they are built, as plain data. */
export const commands = listCommands();
