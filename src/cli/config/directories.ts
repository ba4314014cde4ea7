import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = Record<string, string | undefined>;
export type Directories = { config: string; data: string };

/** What the system knows of who runs the command; it throws where that is a number without a user. */
type System = { homedir: () => string; userInfo: () => { homedir: string } };

/** Where settings and data of this user are kept: PAYMENTS_HOME, else the XDG base directories. */
export function resolveDirectories(
  env: Environment,
  system: System = { homedir, userInfo },
): Directories {
  const home = env["PAYMENTS_HOME"];
  if (home) return { config: home, data: home };
  if (process.platform === "win32") {
    const local = env["LOCALAPPDATA"] ?? join(userHome(system), "AppData", "Local");
    return { config: join(local, "payments"), data: join(local, "payments") };
  }
  return {
    config: join(xdg(env["XDG_CONFIG_HOME"], ".config", system), "payments"),
    data: join(xdg(env["XDG_DATA_HOME"], ".local/share", system), "payments"),
  };
}

/** The XDG specification has relative paths ignored. */
function xdg(value: string | undefined, fallback: string, system: System): string {
  return value && isAbsolute(value) ? value : join(userHome(system), fallback);
}

/**
 * Where HOME is empty or relative, keys must not land in the folder that somebody stands in. A number
 * without a user, as containers run their commands, has no home: only PAYMENTS_HOME helps there.
 */
function userHome(system: System): string {
  try {
    const named = system.homedir();
    return isAbsolute(named) ? named : system.userInfo().homedir;
  } catch {
    return "/";
  }
}
