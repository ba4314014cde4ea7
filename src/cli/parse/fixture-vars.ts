import * as Flags from "@oclif/core/flags";
import { usageError } from "../errors/command-error.ts";

export const varFlag = Flags.string({
  summary: "A value for ${var.KEY} in the files. Repeat the flag for more.",
  multiple: true,
  multipleNonGreedy: true,
  helpValue: "<key=value>",
});

/** The values of fixtures' variables, by their names. Error: usage. */
export function parseVars(pairs: readonly string[]): Map<string, string> {
  const vars = new Map<string, string>();
  for (const pair of pairs) {
    const [, key, value] = /^([A-Za-z0-9_-]+)=([^]*)$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) {
      throw usageError("--var must be written KEY=VALUE, such as order=1001.");
    }
    if (vars.has(key)) throw usageError("--var names the same key twice.");
    vars.set(key, value);
  }
  return vars;
}
