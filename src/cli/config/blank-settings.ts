import { isAbsolute, join } from "node:path";
import { type System, expandHome, findHome } from "../../runtime/user-files.ts";
import { usageError } from "../output/command-error.ts";
import { type ParsedTokens, isTyped } from "../flags/checked-values.ts";

/** Texts of a payment: the API decides which may be empty. */
const textFlags = new Set([
  "address",
  "card-holder",
  "city",
  "country",
  "description",
  "email",
  "first-name",
  "last-name",
  "metadata",
  "phone",
  "zip",
]);

/** An empty secret is refused only by the code that uses it. */
const mayBeEmpty = /_(?:KEY|SECRET)$/;

/**
 * Refuses empty settings, as an unset variable in a script leaves them: the default could be a database or
 * a network that the user did not mean.
 */
export function refuseBlankSettings(flags: Record<string, unknown>, env: Environment): void {
  // Variables first: oclif gives the value of one to its flag.
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("PAYMENTS_") && !mayBeEmpty.test(name) && isBlank(value)) {
      throw blankVariable(name);
    }
  }
  for (const [name, value] of Object.entries(flags)) {
    if (textFlags.has(name) || ![value].flat().some(isBlank)) continue;
    throw usageError(`--${name} is empty.`, "Give it a value, or leave it out.");
  }
}

type Switches = Readonly<Record<string, { type?: string; env?: string }>>;

/** Refuses the variable of a switch that says neither yes nor no: oclif would take it for no. */
export function refuseUnclearSwitches(flags: Switches, raw: ParsedTokens, env: Environment): void {
  for (const [name, { type, env: variable }] of Object.entries(flags)) {
    if (type !== "boolean" || variable === undefined || isTyped(name, raw)) continue;
    const value = env[variable];
    if (value === undefined || /^(?:1|true|yes|y|0|false|no|n)$/i.test(value)) continue;
    throw usageError(`${variable} must be 1 or 0.`, `Set it to 1 to turn --${name} on.`);
  }
}

export function blankVariable(name: string): Error {
  return usageError(`${name} is empty.`, "Set it to a value, or unset it.");
}

export function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

export type Environment = Record<string, string | undefined>;
export type Directories = { config: string; data: string };

/**
 * The directories of this user's settings and data: PAYMENTS_HOME, else the XDG base directories. A user without a name
 * must set PAYMENTS_HOME.
 */
export function resolveDirectories(env: Environment, system?: System): Directories {
  const home = expandHome(env["PAYMENTS_HOME"] ?? "");
  if (home !== "") return { config: home, data: home };
  if (process.platform === "win32") {
    const local = env["LOCALAPPDATA"] ?? join(findHome(system), "AppData", "Local");
    return { config: join(local, "payments"), data: join(local, "payments") };
  }
  return {
    config: join(xdg(env["XDG_CONFIG_HOME"], ".config", system), "payments"),
    data: join(xdg(env["XDG_DATA_HOME"], ".local/share", system), "payments"),
  };
}

function xdg(value: string | undefined, fallback: string, system: System | undefined): string {
  // The XDG specification says to ignore what is no absolute path, also one with ~.
  return value && isAbsolute(value) ? value : join(findHome(system), fallback);
}
