import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { type Mode, modes } from "../../contract/field-values.ts";
import { findNearNames } from "../../runtime/text.ts";
import { CommandError, usageError } from "../output/command-error.ts";
import {
  type Directories,
  type Environment,
  blankVariable,
  isBlank,
  resolveDirectories,
} from "./blank-settings.ts";
import type { Keyring } from "./keyring.ts";
import {
  type LeftoverKey,
  changeProfile,
  defaultContext,
  deleteFile,
  deleteLogin,
  fileFailure,
  embedded,
  folderOf,
  hasContext,
  hasLogin,
  readJsonFile,
  readLogin,
  readMode,
  readProfile,
  readService,
  storeLogin,
  unlessDamaged,
  writeJsonFile,
} from "./profile.ts";

// A context is a place to work in: a service, a key for each mode, an API version, and the mode in use. Each has its own
// files, so that what two terminals do to two contexts never meets.

/** A context as `payments context` prints it. Everything is read from files: a shell's prompt waits for it. */
export type Context = {
  name: string;
  /** Null where the context was left half made, or is damaged. */
  base_url: string | null;
  /** The modes that it has a key for. */
  modes: Mode[];
  mode: Mode;
  in_use: boolean;
};

/** Where a setting comes from: a flag or a variable by its name, else `stored` or `default`. */
export type Source = `--${string}` | `PAYMENTS_${string}` | "stored" | "default";

export type ChosenContext = { name: string; source: Source };

/** The names of the contexts there are, but for `embedded`, in the order of the alphabet. */
export function listContextNames(directories: Directories): string[] {
  const names = new Set([defaultContext, ...listNames(join(directories.config, "contexts"))]);
  return [...names]
    .filter((context) => context !== embedded && isContext(directories, context))
    .toSorted();
}

function listNames(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch (error) {
    throw fileFailure(folder, error);
  }
}

/** As soon as there are two, what a command does in live mode names its context, and no key is used by chance. */
export function hasSeveralContexts(directories: Directories): boolean {
  return listContextNames(directories).length > 1;
}

/** The context that commands use where neither flag nor variable names one. */
export function readContextInUse(directories: Directories): ChosenContext {
  const stored = readJsonFile(choiceFile(directories), isChoice);
  if (stored) return { name: stored.in_use, source: "stored" };
  const name = hasContext(directories) ? defaultContext : embedded;
  return { name, source: "default" };
}

export function useContext(directories: Directories, name: string): void {
  writeJsonFile(choiceFile(directories), { in_use: name });
}

/** The context that a flag or a variable names, else the one in use. Errors: there is no such context. */
export function resolveContext(
  flag: string | undefined,
  env: Environment,
  directories: Directories,
): ChosenContext {
  const chosen = findNamedContext(flag, env) ?? readContextInUse(directories);
  assertContext(directories, chosen);
  return chosen;
}

/** The context that a flag or a variable names, whether there is one or not. */
export function findNamedContext(
  flag: string | undefined,
  { PAYMENTS_CONTEXT: variable }: Environment,
): ChosenContext | undefined {
  if (flag !== undefined) return { name: flag, source: "--context" };
  if (isBlank(variable)) throw blankVariable("PAYMENTS_CONTEXT");
  return variable === undefined ? undefined : { name: variable, source: "PAYMENTS_CONTEXT" };
}

function isContext(directories: Directories, name: string): boolean {
  return (
    name === embedded || (isContextName(name) && hasContext({ ...directories, context: name }))
  );
}

/**
 * Errors: there is no such context. Nothing takes its place, since keys and payments would go there. The name is repeated
 * only where it can hardly be a secret.
 */
export function assertContext(
  directories: Directories,
  { name, source }: { name: string | undefined; source?: Source },
): void {
  if (name === undefined || isContext(directories, name)) return;
  if (source === "stored") {
    throw usageError(
      `The context in use, ${name}, is there no more. Nothing was sent.`,
      "payments context list shows those there are; choose one with payments context use NAME.",
    );
  }
  const names = [...listContextNames(directories), embedded];
  const [near] = name.length > maxNameLength * 2 ? [] : findNearNames(name, names);
  const shown = /^[a-z]{1,12}$/.test(name) ? `: ${name}` : "";
  throw usageError(
    source === undefined
      ? `There is no such context${shown}.`
      : `${source} names a context that there is not${shown}. Nothing was sent.`,
    `${near === undefined ? "" : `Did you mean ${near}? `}payments context list shows them.`,
  );
}

const maxNameLength = 32;

/** Errors: a name that no context can have. */
export function assertContextName(name: string): void {
  if (isContextName(name) && name !== embedded) return;
  throw usageError(
    name === embedded
      ? "The context embedded is the service inside this program: it can be neither changed nor replaced."
      : "The name of a context has small letters, digits and hyphens, at most 32, and begins with no hyphen.",
    "For example staging.",
  );
}

function isContextName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,31}$/.test(name); // at most maxNameLength
}

/** Reads a context, by files alone. `inUse`: the name of the one that commands use. */
export function readContext(directories: Directories, name: string, inUse: string): Context {
  const place = { ...directories, context: name };
  const mode = readMode(place) ?? "test";
  const isEmbedded = name === embedded;
  return {
    name,
    base_url: isEmbedded ? embedded : (readService(place, mode) ?? null),
    modes: modes.filter((each) => isEmbedded || hasLogin(place, each)),
    mode,
    in_use: name === inUse,
  };
}

/**
 * All contexts, `embedded` last. PAYMENTS_CONTEXT counts for which is in use. A damaged one has neither service nor keys,
 * so that the others can be seen.
 */
export function readContexts(directories: Directories, env: Environment): Context[] {
  const { name: inUse } = findNamedContext(undefined, env) ?? readContextInUse(directories);
  const names = [...listContextNames(directories), embedded];
  return names.map(
    (name): Context =>
      unlessDamaged(() => readContext(directories, name, inUse)) ?? {
        name,
        base_url: null,
        modes: [],
        mode: "test",
        in_use: name === inUse,
      },
  );
}

/**
 * A context as `payments context show` prints it, by default the one that commands use. Errors: there is none of that
 * name.
 */
export function describeContext(
  directories: Directories,
  env: Environment,
  named?: string,
): Context & { service_version: string | null } {
  assertContext(directories, { name: named });
  const name = named ?? resolveContext(undefined, env, directories).name;
  const { name: inUse } = findNamedContext(undefined, env) ?? readContextInUse(directories);
  const { service_version: version = null } = readProfile({ ...directories, context: name });
  return {
    ...readContext(directories, name, inUse),
    service_version: name === embedded ? null : version,
  };
}

/**
 * The context of `payments context show --json`, which a shell's prompt waits for, so that no parser is loaded; undefined
 * for any other words behind `show`.
 */
export function describeForPrompt(
  words: readonly string[],
  env: Environment,
): ReturnType<typeof describeContext> | undefined {
  const [name, ...others] = words.filter((word) => word !== "--json");
  const isSimple = others.length === 0 && words.length > (name === undefined ? 0 : 1);
  if (!isSimple || name?.startsWith("-") || name === "") return undefined;
  return describeContext(resolveDirectories(env), env, name);
}

/** The contexts to choose from, as a shell completes them: each with its place. */
export function completeContexts(env: Environment): { name: string; summary: string }[] {
  try {
    return readContexts(resolveDirectories(env), env).map(({ name, base_url: url, mode }) => {
      return { name, summary: `${url} (${mode})` };
    });
  } catch {
    return []; // a damaged file is a matter of the command, not of the key that completes it
  }
}

/**
 * Gives a context another name: its keys are stored under that one before they are deleted under the old one, so that an
 * interruption leaves the old context whole. Returns the entries that could not be removed from the keyring.
 */
export function renameContext(
  directories: Directories,
  { name, newName }: { name: string; newName: string },
  keyring: Keyring,
): LeftoverKey[] {
  assertContext(directories, { name });
  for (const each of [name, newName]) assertContextName(each);
  if (isContext(directories, newName)) {
    throw new CommandError(
      "conflict",
      `There is a context ${newName} already. Nothing was renamed.`,
    );
  }
  const place = { ...directories, context: name };
  const newPlace = { ...directories, context: newName };
  // A keyring that is locked fails here, before anything is changed.
  const logins = modes.flatMap((mode) => {
    const login = readLogin(place, mode, keyring);
    return login ? [{ ...login, mode, key: login.key.value(), source: login.key.source }] : [];
  });
  changeProfile(newPlace, readProfile(place));
  for (const { mode, source, ...login } of logins) {
    const { inFile } = storeLogin(newPlace, mode, login, keyring);
    if (source !== "keyring" || !inFile) continue;
    deleteContext(directories, newName, keyring);
    throw new CommandError(
      "unavailable",
      `The keyring does not take the ${mode} key, since ${inFile.since}. Nothing was renamed.`,
      "Try again where the keyring can be reached and is unlocked.",
    );
  }
  if (readContextInUse(directories).name === name) useContext(directories, newName);
  return deleteContext(directories, name, keyring);
}

/**
 * Deletes a context and its keys; `embedded` is used in its place. Returns the entries that could not be removed from the
 * keyring.
 */
export function deleteContext(
  directories: Directories,
  name: string,
  keyring: Keyring,
): LeftoverKey[] {
  const place = { ...directories, context: name };
  if (readContextInUse(directories).name === name) useContext(directories, embedded);
  const left = modes.flatMap((mode) => deleteLogin(place, mode, keyring).left ?? []);
  const folder = folderOf(place);
  deleteFile(join(folder, "config.json"));
  if (folder !== directories.config && existsSync(folder) && readdirSync(folder).length === 0)
    rmdirSync(folder);
  return left;
}

function isChoice(value: unknown): value is { in_use: string } {
  const { in_use: name } = Object(value) as Record<string, unknown>;
  return typeof name === "string" && isContextName(name);
}

/** The file that names the context in use. */
function choiceFile({ config }: Directories): string {
  return join(config, "context.json");
}
