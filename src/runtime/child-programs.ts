import { fileURLToPath } from "node:url";
import { ConfigError } from "./failures.ts";

type Environment = Record<string, string | undefined>;

/** Ours, and those that PostgreSQL's libraries read: keys and passwords may be among them. */
const own = /^(?:PAYMENTS_|PG[A-Z]+$)/i;

/**
 * The environment for another program that is started: everything but the variables of this one. A
 * browser, and the programs that it starts, must not get the API key or the database's password.
 */
export function createChildEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}

/** The variables by which a command finds its service, account, key or card network. */
const leading = new Set([
  "PAYMENTS_ACCOUNT",
  "PAYMENTS_API_KEY",
  "PAYMENTS_BASE_URL",
  "PAYMENTS_CONTEXT",
  "PAYMENTS_DATABASE",
  "PAYMENTS_HOME",
  "PAYMENTS_MODE",
  "PAYMENTS_NETWORK",
  "PAYMENTS_NETWORK_SECRET",
  "PAYMENTS_PUBLIC_URL",
  "PAYMENTS_SERVICE_VERSION",
  "PAYMENTS_STRIPE_BASE_URL",
  "PAYMENTS_STRIPE_SECRET_KEY",
]);

/**
 * The environment for a user's program that is to reach a sandbox alone: everything but what leads to another service. A
 * variable of the program's own may begin with PAYMENTS_, too.
 */
export function createSandboxEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !leading.has(name)));
}

/** The path of a program beside a module, by the module's address: a .cjs file in a build, else the source itself. */
export function findProgramBeside(url: string, name: string): string {
  return fileURLToPath(new URL(`./${name}.${url.endsWith(".ts") ? "ts" : "cjs"}`, url));
}

/** As package.json has it in "engines". */
const oldestNode = [24, 15] as const;

/**
 * The version that undici needs: Node 20 cannot load it, and ends the process with its error, even if that is caught.
 */
const oldestForUndici = [22, 19] as const;

/** Why a Node is too old to run all of the package; undefined where it is not. */
export function explainOldNode(
  version = process.versions.node,
  path = process.execPath,
): string | undefined {
  if (!isOlder(version, oldestNode)) return undefined;
  return `payments needs Node ${oldestNode.join(".")} or newer, and this is Node ${version}, ${path}.`;
}

function isOlder(version: string, [oldestMajor, oldestMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/**
 * Loads a part of the package that an older Node may be unable to load. There the error is a `ConfigError` that says
 * which Node is needed: the error of the part would name a function of Node that it did not find.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  const reason = explainOldNode();
  if (reason === undefined) return await load();
  if (isOlder(process.versions.node, oldestForUndici)) throw new ConfigError(reason);
  return await load().catch(() => {
    throw new ConfigError(reason);
  });
}

/** Sends a signal to all processes of a group; 0 is none. Returns whether there are any. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // Else the processes of another user: they are there, and out of reach.
    return Error.isError(error) && "code" in error && error.code === "EPERM";
  }
}
