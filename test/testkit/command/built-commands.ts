import { fileURLToPath } from "node:url";
import { listCommands } from "../../../src/cli/help/describe.ts";

/** The folder of the package. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The built commands as plain data. */
export const commands = listCommands();
