import { type Check, reportFailure, reportOk, reportWarning } from "../../contract/doctor.ts";
import type { Mode } from "../../contract/field-values.ts";
import {
  networkHeader,
  newestVersion,
  sandboxClockHeader,
  simulatorName,
} from "../../contract/route.ts";
import { tryParseJson } from "../../runtime/text.ts";
import { formatDuration } from "../../runtime/time.ts";
import { isLoopback } from "../../runtime/transport-safety.ts";
import type { Environment } from "../config/blank-settings.ts";
import type { Keyring } from "../config/keyring.ts";
import { type UsableKey, embedded } from "../config/profile.ts";
import {
  type SettingFlags,
  type Settings,
  type TransportFlags,
  assertSafeTransport,
  describeUnsafeTransport,
  parseBaseUrl,
  resolveSettings,
} from "../config/resolve-settings.ts";
import { askReadiness, resolveServedUrl } from "../config/service-address.ts";
import { CommandError } from "../output/command-error.ts";
import type { Contact, ServiceResponse } from "./contact-service.ts";

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
function toCheck(error: unknown, name?: string): Check {
  if (!(error instanceof CommandError)) throw error;
  const { message, hint = "payments whoami --offline", ending } = error;
  return reportFailure(name ?? (ending === "key" ? "key" : "settings"), message, hint);
}

type Body = { id?: unknown; name?: unknown; livemode?: unknown; error?: { code?: unknown } };

/** The checks of a service over the network: reached, its certificate and version, and what it makes of the key. */
export async function* checkService(
  { baseUrl = "", settings, key, problems }: Target,
  contacted: Promise<Contact>,
): AsyncGenerator<Check> {
  const contact = await contacted;
  const { certificate, response } = contact;
  if (certificate) yield certificate;
  const reached = checkReached(baseUrl, contact);
  if (reached) yield reached;
  const fault = reached?.status === "ok" && response ? checkFault(baseUrl, response) : undefined;
  if (fault) yield fault;
  yield* problems;
  if (!response || fault || reached?.status === "fail" || key === undefined || !settings?.key)
    return;
  const accepted = checkKey(baseUrl, settings.mode, settings.key, response);
  if (accepted) yield accepted;
  if (accepted?.status === "ok") yield* checkAccount(settings.mode, response);
}

/** Undefined where the certificate kept the service from being asked. */
function checkReached(baseUrl: string, { response, failure, noApi }: Contact): Check | undefined {
  if (failure !== undefined) {
    const { hostname, port } = new URL(baseUrl);
    const detail = `${baseUrl} cannot be reached: ${failure}.`;
    const serve = `payments serve${port === "" ? "" : ` --port ${port}`}`;
    return reportFailure(
      "service",
      detail,
      isLoopback(hostname) ? serve : `payments health ${baseUrl}`,
    );
  }
  if (!response) return undefined;
  const { status, headers, roundTripMs } = response;
  if (headers["service-request-id"] === undefined) {
    const detail = `Unexpected response (HTTP ${status}) from ${baseUrl}: not from the payments API.`;
    return reportFailure("service", detail, "payments login --base-url URL");
  }
  if (noApi !== undefined) {
    const detail = `${baseUrl} is a payments service's, but without its API: ${noApi}`;
    return reportFailure("service", detail, "payments login --base-url URL");
  }
  return reportOk("service", `${baseUrl} answers within ${Math.ceil(roundTripMs)} ms.`);
}

/** A service that is not ready, or failed, was reached all the same. */
function checkFault(baseUrl: string, response: ServiceResponse): Check | undefined {
  if (response.status < 500) return undefined;
  const detail = `The service answers HTTP ${response.status}${formatCode(response)}.`;
  return reportFailure("ready", detail, `payments health ${baseUrl}`);
}

/** Undefined where the answer says nothing about the key. */
function checkKey(
  baseUrl: string,
  mode: Mode,
  { last4, source }: UsableKey,
  response: ServiceResponse,
): Check | undefined {
  const from = source === "keyring" ? "the keyring" : source;
  const name = `The ${mode} key …${last4} from ${from}`;
  const { status } = response;
  if (status === 200 || isOlderService(response)) return reportOk("key", `${name} is accepted.`);
  if (status !== 401 && status !== 403) {
    const detail = `Whether the key is accepted is not known: HTTP ${status}${formatCode(response)}.`;
    return reportWarning("key", detail, "payments whoami");
  }
  const detail = `${name} is not accepted: it was revoked, has expired, or is another service's.`;
  return reportFailure("key", detail, `payments login --base-url ${baseUrl}`);
}

function* checkAccount(mode: Mode, response: ServiceResponse): Generator<Check> {
  const version = response.headers["service-version"] ?? "";
  if (isOlderService(response))
    yield reportWarning("version", "The service is older than this program.", "payments --version");
  else if (version > newestVersion)
    yield reportWarning(
      "version",
      `The service's API has version ${version}, and this program knows only ${newestVersion}.`,
      "npm install payments-cli@latest",
    );
  else yield reportOk("version", `The API has version ${version}.`);
  const { id, name, livemode } = parseBody(response);
  if (typeof livemode === "boolean" && livemode !== (mode === "live")) {
    const detail = `The service answers a ${mode} key with ${livemode ? "live" : "test"} data: do not trust it.`;
    yield reportFailure("mode", detail, "payments whoami");
    return;
  }
  if (mode === "live" && response.headers[networkHeader] === simulatorName)
    yield reportWarning(
      "mode",
      "Live mode on the service's built-in simulator: no money moves.",
      "payments serve --network NETWORK",
    );
  else yield reportOk("mode", mode === "live" ? "Live mode: money moves." : "Test mode.");
  if (typeof id === "string") yield reportOk("account", `${String(name)}, ${id}.`);
}

/** A service from before the path of the account authenticates first: the key was accepted. */
function isOlderService(response: ServiceResponse): boolean {
  return response.status === 404 && parseBody(response).error?.code === "endpoint_not_found";
}

function formatCode(response: ServiceResponse): string {
  const code = parseBody(response).error?.code;
  return typeof code === "string" ? `, ${code}` : "";
}

function parseBody({ body }: ServiceResponse): Body {
  return (Object(tryParseJson(body)) ?? {}) as Body;
}

/** A `Date` header has whole seconds. */
const resolutionMs = 1_000;
const limits = { warnMs: 2_000, failMs: 30_000 };

/** The check of the clock, where a service has answered. */
export async function* compareClocks(
  contacted: Promise<Contact> | undefined,
): AsyncGenerator<Check> {
  const response = (await contacted)?.response;
  const check = response && checkClock(response);
  if (check) yield check;
}

/**
 * Compares this machine's clock with the service's `Date`, half the round trip allowed; undefined where there is none.
 * Webhooks and payment pages tolerate at most 30 s.
 */
export function checkClock({
  headers,
  receivedAtMs,
  roundTripMs,
}: ServiceResponse): Check | undefined {
  const serviceMs = Date.parse(headers["date"] ?? "");
  if (Number.isNaN(serviceMs)) return undefined;
  const halfMs = roundTripMs / 2;
  const differenceMs = receivedAtMs - halfMs - (serviceMs + resolutionMs / 2);
  const sizeMs = Math.abs(differenceMs) - halfMs;
  if (headers[sandboxClockHeader] !== undefined) {
    const at = new Date(serviceMs).toISOString().replace(".000", "");
    return reportOk("clock", `The sandbox has a clock of its own, at ${at}.`);
  }
  if (sizeMs <= limits.warnMs) return reportOk("clock", "This machine's clock is the service's.");
  const direction = differenceMs > 0 ? "ahead of" : "behind";
  const detail = `This machine's clock is ${formatDuration(sizeMs)} ${direction} the service's.`;
  const report = sizeMs > limits.failMs ? reportFailure : reportWarning;
  return report("clock", detail, "timedatectl set-ntp true");
}

/** Whether a service runs that `payments serve` started on this machine with the same variables. */
export async function checkServed(env: Environment): Promise<Check> {
  let url: string;
  try {
    url = resolveServedUrl(env);
  } catch (error) {
    return toCheck(error);
  }
  const found = await askReadiness(url);
  if (found.state === "ready") return reportOk("service", `A service is ready at ${url}.`);
  if (found.state === "elsewhere") {
    const detail = `A service answers at ${url}, with its probes elsewhere: ${found.message}`;
    return reportOk("service", detail);
  }
  if (found.state === "unready") {
    const detail = `The service at ${url} is not ready: ${found.reason}.`;
    return reportFailure("ready", detail, `payments health ${url}`);
  }
  if (found.state === "other") {
    const detail = `What answers at ${url} is not the payments service (HTTP ${found.status}).`;
    return reportWarning("service", detail, "payments serve --port PORT");
  }
  const detail = `No service answers at ${url}: ${found.reason}. Until one runs, customers cannot pay, and webhooks wait.`;
  return reportWarning("service", detail, "payments serve");
}
