import { resolveDirectories, type Environment } from "./directories.ts";
import { openKeyring } from "./keyring.ts";
import { readLogin } from "./profile.ts";
import { embedded, parseBaseUrl, parseUrl, resolveMode } from "./resolve-settings.ts";
import { refuseBlankSettings } from "./blank-settings.ts";

const defaultUrl = "http://127.0.0.1:8402";

/** The service that `health` asks: the named one, else the one that commands use, else `serve`'s default. */
export function resolveHealthUrl(named: string | undefined, env: Environment): string {
  refuseBlankSettings({}, env);
  if (named !== undefined) return parseUrl(named, "The address");
  const given = env["PAYMENTS_BASE_URL"];
  const used =
    given === undefined
      ? readLogin(resolveDirectories(env), resolveMode(env), openKeyring(env))?.baseUrl
      : parseBaseUrl(given);
  return used === undefined || used === embedded ? defaultUrl : used;
}
