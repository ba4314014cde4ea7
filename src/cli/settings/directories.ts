import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

export type Environment = Record<string, string | undefined>;
export type Directories = { config: string; data: string };

/** Where settings and data of this user are kept: PAYMENTS_HOME, else the XDG base directories. */
export function directoriesOf(env: Environment): Directories {
  const home = env["PAYMENTS_HOME"];
  if (home) return { config: home, data: home };
  if (process.platform === "win32") {
    const local = env["LOCALAPPDATA"] ?? join(userHome(), "AppData", "Local");
    return { config: join(local, "payments"), data: join(local, "payments") };
  }
  return {
    config: join(xdg(env["XDG_CONFIG_HOME"], ".config"), "payments"),
    data: join(xdg(env["XDG_DATA_HOME"], ".local/share"), "payments"),
  };
}

/** The XDG specification has relative paths ignored. */
function xdg(value: string | undefined, fallback: string): string {
  return value && isAbsolute(value) ? value : join(userHome(), fallback);
}

/**
 * Where HOME is empty or relative, keys must not land in the folder that somebody stands in. A number
 * without a user, as containers run their commands, has no home: only PAYMENTS_HOME helps there.
 */
function userHome(): string {
  try {
    const named = homedir();
    return isAbsolute(named) ? named : userInfo().homedir;
  } catch {
    return "/";
  }
}
