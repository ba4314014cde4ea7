import { CommandError } from "../output/command-error.ts";
import type { Environment } from "../config/blank-settings.ts";
import type { Keyring } from "../config/keyring.ts";
import { embedded } from "../config/profile.ts";
import {
  type SettingFlags,
  type Settings,
  type TransportFlags,
  assertSafeTransport,
  describeUnsafeTransport,
  parseBaseUrl,
  resolveSettings,
} from "../config/resolve-settings.ts";
import { reportFailure, reportWarning, type Check } from "../../contract/doctor.ts";

/** The service that commands would use, and what is wrong with the settings that lead there. */
export type Target = {
  /** Undefined where the settings name no service. */
  baseUrl: string | undefined;
  settings: Settings | undefined;
  /** Whether the embedded service was asked for, so that no other one is expected. */
  isEmbeddedChosen: boolean;
  /** The key to send; undefined where there is none, or where it must not be sent. */
  key: string | undefined;
  problems: Check[];
};

/** Resolves the settings as every command does, but a mistake in them becomes a check, and sends no key. */
export async function findTarget(
  flags: SettingFlags & TransportFlags,
  env: Environment,
  keyring: Keyring,
): Promise<Target> {
  const problems: Check[] = [];
  /** Undefined after an error, which becomes a check. */
  const attempt = async <T>(work: () => T | Promise<T>, name?: string): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      problems.push(toCheck(error, name));
      return undefined;
    }
  };
  // A named database is checked beside the service, not instead of it.
  const ofService = { ...flags, database: undefined };
  const settings = await attempt(async () => resolveSettings(ofService, env, { keyring }));
  const given = flags["base-url"] ?? env["PAYMENTS_BASE_URL"];
  const found = { settings, isEmbeddedChosen: given === embedded, key: undefined, problems };
  if (!settings) return { ...found, baseUrl: given && tryParse(given) };
  const { baseUrl } = settings;
  if (baseUrl === embedded) return { ...found, baseUrl };
  const warning = describeUnsafeTransport(settings, env);
  const isSafe = await attempt(() => {
    assertSafeTransport(settings, flags, env);
    return true;
  }, "encryption");
  if (isSafe && warning !== undefined)
    problems.push(reportWarning("encryption", warning, "unset NODE_TLS_REJECT_UNAUTHORIZED"));
  const key = isSafe && (await attempt(() => settings.key?.value()));
  return { ...found, baseUrl, key: key || undefined };
}

function tryParse(url: string): string | undefined {
  try {
    return parseBaseUrl(url);
  } catch {
    return undefined; // the error of the settings says so already
  }
}

/** Turns the error of a setting, with its hint, into a check. Errors: those that are no mistake of the user's. */
export function toCheck(error: unknown, name?: string): Check {
  if (!(error instanceof CommandError)) throw error;
  const { message, hint = "payments whoami --offline", ending } = error;
  return reportFailure(name ?? (ending === "key" ? "key" : "settings"), message, hint);
}
