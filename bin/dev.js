#!/usr/bin/env node
// The command from source: Node strips the types, nothing is built.
import { fileURLToPath } from "node:url";
import { main } from "../src/cli/program/main.ts";

await main(fileURLToPath(new URL("..", import.meta.url)));
