import { isAbsolute, join } from "node:path";
import { expandHome, findHome, type System } from "../../runtime/user-files.ts";

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
