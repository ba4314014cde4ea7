#!/usr/bin/env node
// The command from source: Node strips the types, nothing is built.
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import { main } from "../src/cli/main.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const oclif = {
  ...manifest.oclif,
  commands: "./src/cli/commands",
  helpClass: "./src/cli/usage/help/help.ts",
};
const pjson = { ...manifest, oclif };
await main({ root, pjson, ignoreManifest: true });
