import { mask } from "../../contract/mask.ts";
import { quoteForShell } from "../../runtime/text.ts";
import type { Environment, ParsedTokens } from "./setting-names.ts";

/** The flags that choose the service, the mode or the account; the key itself is never in a flag. */
const targetFlags = new Set([
  "mode",
  "base-url",
  "api-key-file",
  "database",
  "account",
  "allow-http",
]);

/**
 * The flags of a command line by which another command reaches the same service in the same mode, for a shell: each
 * with a space before it. A mode that only the environment names is repeated too, since it may have been set for one
 * command, as is the `defaultMode` of a command that does not take the user's. What may hold a secret, or can be read
 * only once, is left out.
 */
export function repeatTarget(typed: ParsedTokens, env: Environment, defaultMode?: string): string {
  const given = new Map<string, string>();
  for (const { flag = "", input } of typed) if (targetFlags.has(flag)) given.set(flag, input);
  const mode = env["PAYMENTS_MODE"] ?? defaultMode;
  if (!given.has("mode") && mode !== undefined) given.set("mode", mode);
  return [...given]
    .filter(([name, value]) => value === mask(value) && !isUnrepeatable(name, value))
    .map(([name, value]) => ` --${name}${name === "allow-http" ? "" : ` ${quoteForShell(value)}`}`)
    .join("");
}

/** Standard input, which is read only once, and a database's address with a password. */
function isUnrepeatable(name: string, value: string): boolean {
  if (name === "api-key-file") return value === "-";
  return name === "database" && /@|password/i.test(value);
}
