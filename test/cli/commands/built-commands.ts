import { fileURLToPath } from "node:url";
import { Config } from "@oclif/core";
import { describeCommands } from "../../../src/cli/usage/describe.ts";

/** The folder of the package, whose manifest and built commands the tests look at. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

export const config = await Config.load({ root });

/** The commands as they are built, as plain data. */
export const commands = describeCommands(config.commands);
