import type { ChalkInstance } from "chalk";
import {
  type Call,
  type Connection,
  type Endpoint,
  toHeaders,
  toTarget,
} from "../../client/request.ts";
import { mask, maskBody, maskTexts } from "../../contract/mask.ts";
import {
  type Transport,
  type TransportAnswer,
  type TransportRequest,
  createHttpTransport,
} from "../../runtime/http-transport.ts";
import { escapeControls, toSafeJson, tryParseJson } from "../../runtime/text.ts";
import { usageError } from "../output/command-error.ts";
import { parseDuration } from "../flags/waiting.ts";
import { getStyle } from "../output/style.ts";
import { type UsableKey, embedded, toUsableKey } from "./profile.ts";
import {
  type SettingFlags,
  type Settings,
  type TransportFlags,
  assertSafeTransport,
} from "./resolve-settings.ts";

export type ConnectionFlags = SettingFlags &
  TransportFlags & {
    "max-retries": number;
    "request-timeout": string;
    debug?: boolean | undefined;
    /** No flag: a command that sends many requests waits for the rate limit. */
    waitsForRateLimits?: boolean;
  };

/**
 * Opens a connection for the settings: to a service over HTTP, or to the one in this process, whose errors
 * are documented in the package at `root`. `trace` sees every request. Errors: a transport on which others could read the
 * key.
 */
export async function openConnection(
  settings: Settings,
  flags: ConnectionFlags,
  root: string,
  trace: Partial<Trace>,
): Promise<Omit<Connection, "closed">> {
  const { baseUrl, serviceVersion } = settings;
  assertSafeTransport(settings, flags, process.env);
  const timeoutMs = parseDuration(flags["request-timeout"], "--request-timeout");
  // With a timeout of 0 a write would be sent, and its outcome never known.
  if (timeoutMs === 0) {
    throw usageError(
      "--request-timeout must be longer than 0.",
      "For example --request-timeout 30s",
    );
  }
  const { apiKey, transport: bare } =
    baseUrl === embedded
      ? await (await import("./connect-embedded.ts")).connectEmbedded(settings, root)
      : { apiKey: settings.key?.value() ?? "", transport: createHttpTransport(baseUrl) };
  const transport = traceTransport(bare, trace);
  return {
    apiKey,
    transport: flags.debug ? traceTransport(transport, createTrace(baseUrl)) : transport,
    maxRetries: flags["max-retries"],
    timeoutMs,
    serviceVersion,
    waitsForRateLimits: flags.waitsForRateLimits ?? false,
  };
}

/**
 * The key that a command uses: the given or stored one, else the embedded service's own. A named database
 * or account needs none: everyone who can open the database may act in it.
 */
export async function resolveKey(settings: Settings): Promise<UsableKey | undefined> {
  const { key, isDatabaseNamed, account, directories, mode } = settings;
  if (key || isDatabaseNamed || account !== undefined) return key;
  const { openEmbeddedKeys } = await import("../../service/server/embedded-keys.ts");
  const own = (await openEmbeddedKeys(directories.data))[mode];
  return toUsableKey(own, embedded);
}

/** Describes the request of a call, with its key and card masked. */
export async function describeCall(
  settings: Settings,
  endpoint: Endpoint,
  call: Call,
): Promise<object> {
  return await describeRequest(settings, { ...toTarget(endpoint, call), call });
}

/** The same of any request. */
export async function describeRequest(
  settings: Settings,
  { method, path, call, headers = {} }: DescribedRequest,
): Promise<object> {
  const { baseUrl, mode, serviceVersion } = settings;
  const apiKey = `svc_${mode}_sk_…${(await resolveKey(settings))?.last4 ?? ""}`;
  const own = Object.entries(headers).map(([name, value]) => [name, mask(value)] as const);
  return {
    method,
    url: toUrl(baseUrl, path),
    headers: { ...toHeaders({ apiKey, serviceVersion }, call), ...Object.fromEntries(own) },
    body: call.body === undefined ? null : maskBody(call.body),
  };
}

type DescribedRequest = Pick<TransportRequest, "method" | "path"> & {
  call: Pick<Call, "body" | "idempotencyKey">;
  /** Others than those of every request. */
  headers?: Record<string, string>;
};

function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

function createTrace(baseUrl: string): Trace {
  const style = getStyle("stderr");
  return {
    sent: ({ path, ...request }) =>
      print(formatRequest({ ...request, url: toUrl(baseUrl, path) }, style)),
    answered: (answer, tookMs) => print(formatResponse(answer, tookMs, style)),
    failed: (error, tookMs) => print(formatFailure(error, tookMs, style)),
  };
}

function toUrl(baseUrl: string, path: string): string {
  return `${baseUrl === embedded ? "embedded:" : baseUrl}${path}`;
}

/** Watches every request, retries included. */
type Trace = {
  sent: (request: TransportRequest) => void;
  answered: (response: TransportAnswer, tookMs: number) => void;
  failed: (error: unknown, tookMs: number) => void;
};

/** A transport whose traffic is watched. */
function traceTransport(transport: Transport, trace: Partial<Trace>): Transport {
  return {
    send: async (request) => {
      const startMs = performance.now();
      trace.sent?.(request);
      try {
        const response = await transport.send(request);
        trace.answered?.(response, performance.now() - startMs);
        return response;
      } catch (error) {
        trace.failed?.(error, performance.now() - startMs);
        throw error;
      }
    },
    close: async () => transport.close(),
  };
}

type Request = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
};
type Response = { status: number; headers: Record<string, string>; body: string };

const maxBodyLength = 20_000;

/** A request as `--debug` shows it, its key and card masked. */
export function formatRequest(
  { method, url, headers, body }: Request,
  style: ChalkInstance,
): string {
  const lines = [
    style.bold(`> ${method} ${escapeControls(mask(url))}`),
    ...formatHeaders(">", headers),
    ...(body === undefined ? [] : [`> ${formatRequestBody(body)}`]),
  ];
  return lines.join("\n");
}

/** A response as `--debug` shows it. */
export function formatResponse(
  { status, headers, body }: Response,
  tookMs: number,
  style: ChalkInstance,
): string {
  const lines = [
    style.bold(`< ${status} after ${Math.round(tookMs)} ms`),
    ...formatHeaders("<", headers),
    ...(body === "" ? [] : [`< ${formatBody(body)}`]),
  ];
  return lines.join("\n");
}

/** A request without a response, as `--debug` shows it. */
export function formatFailure(error: unknown, tookMs: number, style: ChalkInstance): string {
  const reason = Error.isError(error) ? error.message : String(error);
  return style.bold(`< no answer after ${Math.round(tookMs)} ms: ${escapeControls(mask(reason))}`);
}

/** The form of a payment page, which holds a card, is not shown. */
function formatRequestBody(body: string): string {
  const value = tryParseJson(body);
  return value === undefined ? "…" : toSafeJson(maskBody(value), { indented: false });
}

function formatHeaders(mark: string, headers: Record<string, string>): string[] {
  return Object.entries(headers).map(
    ([name, value]) => `${mark} ${escapeControls(name)}: ${escapeControls(mask(value))}`,
  );
}

function formatBody(body: string): string {
  const value = tryParseJson(body);
  const text =
    value === undefined
      ? escapeControls(mask(body.slice(0, 2 * maxBodyLength)))
      : toSafeJson(maskTexts(value), { indented: false });
  return text.length <= maxBodyLength ? text : `${text.slice(0, maxBodyLength)}…`;
}
