import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = Record<string, string | undefined>;
export type Directories = { config: string; data: string };

/** The system's functions; they throw for a user who has a number but no name. */
type System = { homedir: () => string; userInfo: () => { homedir: string } };

/** The directories of this user's settings and data: PAYMENTS_HOME, else the XDG base directories. */
export function resolveDirectories(
  env: Environment,
  system: System = { homedir, userInfo },
): Directories {
  const home = env["PAYMENTS_HOME"];
  if (home) return { config: home, data: home };
  if (process.platform === "win32") {
    const local = env["LOCALAPPDATA"] ?? join(findHome(system), "AppData", "Local");
    return { config: join(local, "payments"), data: join(local, "payments") };
  }
  return {
    config: join(xdg(env["XDG_CONFIG_HOME"], ".config", system), "payments"),
    data: join(xdg(env["XDG_DATA_HOME"], ".local/share", system), "payments"),
  };
}

function xdg(value: string | undefined, fallback: string, system: System): string {
  // The XDG specification says to ignore relative paths.
  return value && isAbsolute(value) ? value : join(findHome(system), fallback);
}

/**
 * An empty or relative HOME must not put keys into the current folder. A user without a name, as in a
 * container, has no home, and must set PAYMENTS_HOME.
 */
function findHome(system: System): string {
  try {
    const named = system.homedir();
    return isAbsolute(named) ? named : system.userInfo().homedir;
  } catch {
    return "/";
  }
}
