import { isIP } from "node:net";
import type { InvitedOperator, Operator } from "../../contract/administration.ts";
import { sandboxSignAtHeader } from "../../contract/route.ts";
import {
  type TransportAnswer,
  createHttpTransport,
  describeFailure,
} from "../../runtime/http-transport.ts";
import { tryParseJson } from "../../runtime/text.ts";
import { isConfidential } from "../../runtime/transport-safety.ts";
import { usageError } from "../output/command-error.ts";
import { type NameSetting, explainServiceLink, parseUrl } from "../flags/checked-values.ts";
import { type Environment, refuseBlankSettings } from "./blank-settings.ts";
import { findNamedContext, hasSeveralContexts } from "./contexts.ts";
import { embedded, hasLogin, readService } from "./profile.ts";
import { parseBaseUrl, resolveMode, resolvePlace } from "./resolve-settings.ts";

/**
 * The service that `health` asks, without a key: the named one, else the one that commands use, else the one that `serve`
 * starts with the same variables. Errors: PAYMENTS_METRICS_PORT or PAYMENTS_PORT is no port; a named context is for
 * another service.
 */
export function resolveHealthUrl(
  { url, context }: { url: string | undefined; context: string | undefined },
  env: Environment,
): string {
  refuseBlankSettings({ context }, env);
  if (url !== undefined) return parseUrl(url, "The address");
  const given = env["PAYMENTS_BASE_URL"];
  const used =
    given === undefined || findNamedContext(context, env)
      ? readOwnUrl(context, env)
      : parseBaseUrl(given);
  if (given !== undefined && parseBaseUrl(given) !== used) {
    throw usageError(`The context is for ${used}, but PAYMENTS_BASE_URL names another service.`);
  }
  return used === undefined || used === embedded ? resolveServedUrl(env) : used;
}

function readOwnUrl(context: string | undefined, env: Environment): string | undefined {
  const place = resolvePlace(context, env);
  const mode = resolveMode(env, place);
  const isBound = findNamedContext(context, env) !== undefined || hasSeveralContexts(place);
  if (place.context === embedded) return embedded;
  return isBound || hasLogin(place, mode) ? readService(place, mode) : undefined;
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
function resolveListeningUrl(
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

const readinessTimeoutMs = 3_000; // the service answers within 2 s, whatever its database does

/** The answer of an address to a probe. `elsewhere`: a payments service, whose probes are on another port. */
type Readiness =
  | { state: "ready" }
  | { state: "unready"; reason: string }
  | { state: "elsewhere"; message: string }
  | { state: "other"; status: number }
  | { state: "unreachable"; reason: string };

type Body = { status?: unknown; reason?: unknown; error?: { code?: unknown; message?: unknown } };

/** Asks /readyz of an address, without a key. */
export async function askReadiness(url: string): Promise<Readiness> {
  const transport = createHttpTransport(url);
  try {
    const request = {
      method: "GET",
      path: "/readyz",
      headers: {},
      timeoutMs: readinessTimeoutMs,
    } as const;
    const { status, headers, body } = await transport.send(request);
    const said = Object(tryParseJson(body)) as Body;
    if (status === 200 && said.status === "ready") return { state: "ready" };
    if (said.status === "unready" && typeof said.reason === "string")
      return { state: "unready", reason: said.reason };
    const isService = headers["service-request-id"] !== undefined;
    if (isService && said.error?.code === "endpoint_not_found")
      return { state: "elsewhere", message: String(said.error.message) };
    return { state: "other", status };
  } catch (error) {
    return { state: "unreachable", reason: describeFailure(error) };
  } finally {
    await transport.close();
  }
}

const signInTimeoutMs = 5_000;

/**
 * The address of the dashboard: the given one, else that of a service that was started with these variables, on this
 * machine. Refuses a connection on which others could read the link that signs in.
 */
export function resolveDashboardUrl(
  given: string | undefined,
  name: NameSetting,
  env: Environment,
): string {
  const setting = name("public-url");
  const how = "Give the dashboard's address with --public-url.";
  const url =
    given === undefined
      ? resolveListeningUrl(env, "PAYMENTS_PORT", { what: "--public-url", how })
      : parseUrl(given, setting);
  if (isConfidential(url)) return url;
  if (given === undefined) {
    throw usageError(
      "PAYMENTS_HOST is another address than this machine's own, over plain HTTP: others could read the link.",
      how,
    );
  }
  throw usageError(
    `${setting} must be https, or this machine's own address: otherwise others could read the link.`,
  );
}

/** Adds the invitation link to the operator. */
export function toInvitationUrl(
  url: string,
  invited: { operator: Operator; token: string; expiresAtMs: number },
): InvitedOperator {
  const { operator, token, expiresAtMs } = invited;
  const invitation = {
    url: `${url}/dashboard/invitations/${token}`,
    expires_at: Math.floor(expiresAtMs / 1000),
  };
  return { ...operator, invitation };
}

/** Whether a dashboard answers at an address. */
export async function hasDashboard(url: string): Promise<boolean> {
  const transport = createHttpTransport(url);
  const path = "/dashboard/sign-in";
  try {
    const request = { method: "GET", path, headers: {}, timeoutMs: signInTimeoutMs } as const;
    return (await transport.send(request)).status === 200;
  } catch {
    return false; // every failure has the same remedy, which the caller gives
  } finally {
    await transport.close();
  }
}

/** A `Date` header has whole seconds, and is some time on its way. */
const sameWithinMs = 2_000;

/**
 * The service's time, by the `Date` of its last response; this machine's before there is one. A sandbox's clock is its
 * own: it may be moved on, and may stand still.
 */
export function createServiceTime() {
  let otherMs: number | undefined;
  let signsAtWall = false;
  const nowMs = () => otherMs ?? Date.now();
  return {
    see: (headers: TransportAnswer["headers"]): void => {
      signsAtWall = headers[sandboxSignAtHeader] === "wall";
      const seenMs = Date.parse(headers["date"] ?? "");
      const isOther = Math.abs(seenMs - Date.now()) > sameWithinMs;
      otherMs = isOther ? seenMs : undefined;
    },
    /** In Unix milliseconds. */
    nowMs,
    /** Whether it signs webhooks at the real time, whatever its own is. */
    signsAtWall: (): boolean => signsAtWall,
    /** The time at which it signs webhooks. */
    signingMs: (): number => (signsAtWall ? Date.now() : nowMs()),
  };
}
