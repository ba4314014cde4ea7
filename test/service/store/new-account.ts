import { randomBytes } from "node:crypto";
import { newestVersion } from "../../../src/contract/headers.ts";
import type { NewAccount } from "../../../src/service/use-cases/ports.ts";

/** What a process brings along for the account of a database that has none yet. */
export function newAccount(): NewAccount {
  return {
    defaultVersion: newestVersion,
    fingerprintSecret: randomBytes(32).toString("base64url"),
    created: 1_000,
  };
}
