import { ConfigError } from "./failures.ts";

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
