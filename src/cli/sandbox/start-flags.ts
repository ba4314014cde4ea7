import * as Flags from "@oclif/core/flags";
import type { InferredFlags } from "@oclif/core/interfaces";
import { clockModes, signingTimes } from "../../contract/field-values.ts";
import { parseUrl, parseVars } from "../flags/checked-values.ts";
import { textFlag } from "../flags/flags.ts";
import { addressFlags, varFlag } from "../flags/flags.ts";
import { type WantedSandbox, inMemory } from "./open-sandbox.ts";

/** The flags of a sandbox that is started. */
export const startFlags = {
  ...addressFlags,
  "public-url": textFlag(
    "Where payment pages and the dashboard's link lead. Default: to the address that it listens on.",
    "<url>",
  ),
  clock: Flags.option({
    summary: "Whether the time runs, or stands still until it is moved on.",
    options: clockModes,
    default: "real",
  })(),
  "sign-at": Flags.option({
    summary: "Sign webhooks at the sandbox's time, or at the real time (wall).",
    options: signingTimes,
    default: "sandbox",
  })(),
  seed: textFlag("Repeat ids, secrets and delays of the run with the same seed.", "<seed>"),
  fixtures: Flags.string({
    summary:
      "Make what this file describes, at the start and at each reset. Repeat the flag for more.",
    multiple: true,
    multipleNonGreedy: true,
    helpValue: "<path>",
  }),
  var: varFlag,
  database: textFlag(
    "A database that does not exist yet, or that a sandbox made: it is erased. Default: in memory.",
    "<database>",
  ),
};

export function parseStartFlags(flags: InferredFlags<typeof startFlags>): WantedSandbox {
  const { host, port, clock, seed, fixtures = [], database = inMemory } = flags;
  const url = flags["public-url"];
  return {
    host,
    port,
    clock,
    seed,
    signAt: flags["sign-at"],
    publicUrl: url === undefined ? undefined : parseUrl(url, "--public-url"),
    database,
    fixtures,
    vars: [...parseVars(flags.var ?? [])],
  };
}
