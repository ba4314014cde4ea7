import { isIP } from "node:net";
import { usageError } from "../errors/command-error.ts";
import { resolveDirectories, type Environment } from "./directories.ts";
import { openKeyring } from "./keyring.ts";
import { readLogin } from "./profile.ts";
import { embedded, parseBaseUrl, parseUrl, resolveMode } from "./resolve-settings.ts";
import { refuseBlankSettings } from "./blank-settings.ts";
import { explainServiceLink } from "../flags/typed-values.ts";

/**
 * The service that `health` asks: the named one, else the one that commands use, else the one that `serve` starts
 * with the same variables. Errors: PAYMENTS_METRICS_PORT or PAYMENTS_PORT is no port.
 */
export function resolveHealthUrl(named: string | undefined, env: Environment): string {
  refuseBlankSettings({}, env);
  if (named !== undefined) return parseUrl(named, "The address");
  const given = env["PAYMENTS_BASE_URL"];
  const used =
    given === undefined
      ? readLogin(resolveDirectories(env), resolveMode(env), openKeyring(env))?.baseUrl
      : parseBaseUrl(given);
  return used === undefined || used === embedded ? resolveServedUrl(env) : used;
}

/**
 * The address of the probes of a service that was started with these variables, on this machine. Errors:
 * PAYMENTS_METRICS_PORT or PAYMENTS_PORT is no port.
 */
export function resolveServedUrl(env: Environment): string {
  const variable =
    env["PAYMENTS_METRICS_PORT"] === undefined ? "PAYMENTS_PORT" : "PAYMENTS_METRICS_PORT";
  return resolveListeningUrl(env, variable, {
    what: "the service's address",
    how: "Give the service's address: payments health http://127.0.0.1:8402",
  });
}

/**
 * The address on which a service listens that was started with these variables, on this machine. Errors: the variable
 * names no port; `instead` says what to give in its place, and how.
 */
export function resolveListeningUrl(
  env: Environment,
  variable: "PAYMENTS_PORT" | "PAYMENTS_METRICS_PORT",
  instead: { what: string; how: string },
): string {
  const port = env[variable] ?? "8402";
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw usageError(
      `${variable} names no port on which a service could be asked.`,
      explainServiceLink(variable, env, instead.what) ?? instead.how,
    );
  }
  const host = env["PAYMENTS_HOST"] ?? "127.0.0.1";
  const reached = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  const url = `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`;
  return parseUrl(url, "PAYMENTS_HOST");
}
