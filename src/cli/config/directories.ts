import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = Record<string, string | undefined>;
export type Directories = { config: string; data: string };

/** The system's functions; they throw where the user is a number without a name. */
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
  // The specification has relative paths ignored.
  return value && isAbsolute(value) ? value : join(findHome(system), fallback);
}

/**
 * Keys must not land in the current folder where HOME is empty or relative. A user without a name, as in
 * a container, has no home: only PAYMENTS_HOME helps there.
 */
function findHome(system: System): string {
  try {
    const named = system.homedir();
    return isAbsolute(named) ? named : system.userInfo().homedir;
  } catch {
    return "/";
  }
}
