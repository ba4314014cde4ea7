#!/usr/bin/env node
// The command from source: Node strips the types, nothing is built.
import manifest from "../package.json" with { type: "json" };
import { main } from "../src/main.ts";

const oclif = { ...manifest.oclif, commands: "./src/commands", helpClass: "./src/help/help.ts" };
const pjson = { ...manifest, oclif };
await main({ pjson, ignoreManifest: true });
