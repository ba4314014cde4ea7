import type { Dispatcher } from "undici";
import { loadPart } from "./child-programs.ts";
import { Unavailable } from "./failures.ts";
import { isLoopback } from "./transport-safety.ts";

export type TransportRequest = {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, below the base URL. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** Aborted when the caller no longer waits: a transport may abort the request then. */
  signal?: AbortSignal;
  /** Keeps the bytes of the response's body beside its text. */
  keepsBytes?: boolean;
};

/** `bytes`: of the body as they arrived, where they were wanted and the transport has them. */
export type TransportAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  bytes?: Uint8Array;
};

/**
 * How requests reach a service. It rejects when no whole response arrived, with a `NotSentError` when the service
 * cannot have received the request either.
 */
export type Transport = {
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): Promise<void>;
};

/** Nothing of a request was sent, since no connection was made; `cause` says why. */
export class NotSentError extends Error {
  override name = "NotSentError";
  /** Whether this machine itself refused the connection: nothing listens there, and waiting rarely helps. */
  nothingListens = false;

  /** `through`: what is to be known about the proxy that the request went through, or did not. */
  constructor(cause: unknown, through = "") {
    super(describeFailure(cause) + through, { cause });
  }
}

type TransportLimits = {
  connections: number;
  maxResponseBytes: number;
  /** Whether a connection is used again for another request; by default it is. */
  isReused?: boolean;
};

const clientLimits: TransportLimits = { connections: 32, maxResponseBytes: 64 * 1024 * 1024 };

function parseBaseUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("baseUrl must be an http or https address, such as http://127.0.0.1:8402.");
  }
  return url;
}

/**
 * Requests over HTTP, on connections that are reused, and through the proxy that the environment names. Throws a
 * `TypeError` where the URL is not one of HTTP.
 */
export function createHttpTransport(baseUrl: string, limits = clientLimits): Transport {
  const { connections, maxResponseBytes, isReused = true } = limits;
  const url = parseBaseUrl(baseUrl);
  const { origin } = url;
  const prefix = url.pathname.replace(/\/+$/, "");
  let opened: Promise<Dispatcher> | undefined;

  let proxy: Proxy | undefined;
  let isDirect = true;

  async function open(timeoutMs: number): Promise<Dispatcher> {
    proxy = findProxy(url, process.env);
    isDirect = !proxy || isRuledOut(url, proxy);
    const reuse = isReused ? {} : { pipelining: 0 };
    const options = { ...poolOptions, ...reuse, connections, connectTimeout: timeoutMs };
    return proxy && !isDirect
      ? (await loadPart(async () => import("./through-proxy.ts"))).connectThroughProxy(
          proxy.url,
          options,
        )
      : (await loadPart(async () => import("./direct.ts"))).connectDirectly(url, options);
  }

  function toNotSent(error: unknown): NotSentError {
    const notSent = new NotSentError(error, proxy && describeProxy(proxy, isDirect));
    const isRefused = Error.isError(error) && "code" in error && error.code === "ECONNREFUSED";
    notSent.nothingListens = isRefused && isDirect && isLoopback(url.hostname);
    return notSent;
  }

  return {
    send: async ({ timeoutMs, signal, path, keepsBytes = false, ...request }) => {
      opened ??= open(timeoutMs);
      const whole = { ...request, origin, path: prefix + path };
      const chunks: Uint8Array[] = [];
      let isSending = false;
      const {
        isCut,
        statusText: _,
        ...response
      } = await dispatch(await opened, whole, {
        timeoutMs,
        maxResponseBytes,
        signal,
        onSending: () => (isSending = true),
        ...(keepsBytes && { onData: (chunk) => void chunks.push(chunk) }),
      }).catch((error: unknown) => {
        throw isSending ? error : toNotSent(error);
      });
      if (isCut) throw new Error(`the answer is larger than ${formatSize(maxResponseBytes)}`);
      return keepsBytes ? { ...response, bytes: Buffer.concat(chunks) } : response;
    },
    close: async () =>
      opened?.then(
        async (dispatcher) => dispatcher.destroy(),
        () => {}, // it never opened, and each request has failed with the reason
      ),
  };
}

function describeProxy({ url }: Proxy, isDirect: boolean): string {
  const { host } = new URL(url);
  return isDirect ? `; NO_PROXY rules out the proxy ${host}` : `; the proxy is ${host}`;
}

function formatSize(bytes: number): string {
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
}

type Environment = Record<string, string | undefined>;

/** A proxy, and the hosts that are reached without it. */
export type Proxy = { url: string; except: string };

/**
 * The proxy that the environment names for a service, as other programs understand it: HTTPS_PROXY for
 * https, HTTP_PROXY for http, either in small letters too. This machine itself needs none. Errors: the
 * value is no address; the message does not repeat it, because it may have a password.
 */
export function findProxy({ protocol, hostname }: URL, env: Environment): Proxy | undefined {
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const named = valueOf(name, env);
  if (named === undefined || isLoopback(hostname)) return undefined;
  const url = /^[a-z\d]+:\/\//i.test(named) ? named : `http://${named}`;
  if (!URL.canParse(url) || !/^(?:https?|socks5?):$/.test(new URL(url).protocol)) {
    throw new Unavailable(`${name} is not the address of a proxy.`);
  }
  return { url, except: valueOf("NO_PROXY", env) ?? "" };
}

/**
 * Whether NO_PROXY rules a proxy out for a service: it names the host, a domain above it, one port of these, or `*`.
 * An entry that begins with `*.` leaves out the domain itself.
 */
export function isRuledOut({ protocol, hostname, port }: URL, { except }: Proxy): boolean {
  const host = toName(hostname);
  const ownPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return except.split(/[,\s]+/).some((entry) => {
    const [, name = entry, itsPort = ownPort] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    if (name === "" || itsPort !== ownPort) return false;
    const domain = toName(name.replace(/^\*?\./, ""));
    const isItself = host === domain && !name.startsWith("*");
    return name === "*" || isItself || host.endsWith(`.${domain}`);
  });
}

/** A host without the brackets of IPv6, and without the point at its end. */
function toName(host: string): string {
  return host
    .replace(/^\[(.+)\]$/, "$1")
    .replace(/(.)\.$/, "$1")
    .toLowerCase();
}

/** An empty variable is as good as none. */
function valueOf(name: string, env: Environment): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}

export type DispatchedResponse = {
  status: number;
  /** The words after the status, as the server has sent them. */
  statusText: string;
  headers: Record<string, string>;
  body: string;
  /** Whether there was more than this. */
  isCut: boolean;
};

/**
 * Sends one request. `timeoutMs` is for all of it. A response that is too large is cut, and its connection ended.
 * `onSending` is called before the first byte is written, `onData` with each part of the response's body.
 */
export async function dispatch(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  {
    timeoutMs,
    maxResponseBytes,
    signal,
    onSending,
    onData,
  }: {
    timeoutMs: number;
    maxResponseBytes: number;
    signal?: AbortSignal | undefined;
    onSending?: () => void;
    onData?: (chunk: Uint8Array) => void;
  },
): Promise<DispatchedResponse> {
  return await new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let failure: Error | undefined;
    let status = 0;
    let statusText = "";
    let headers: Record<string, string> = {};
    let size = 0;
    let body = "";
    const decoder = new TextDecoder();

    function stopWaiting(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
    function fail(error: Error): void {
      stopWaiting();
      failure ??= error;
      reject(error);
      abort?.(error);
    }
    function onAbort(): void {
      fail(new Error("aborted by the caller"));
    }
    function end({ isCut }: { isCut: boolean }): void {
      stopWaiting();
      resolve({ status, statusText, headers, body: body + decoder.decode(), isCut });
    }
    const timer = setTimeout(
      () => fail(new Error(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();

    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        // A request that was aborted while it waited in line must not be sent.
        if (failure) controller.abort(failure);
        else onSending?.();
        abort = (reason) => controller.abort(reason);
      },
      onResponseStart: (_controller, statusCode, received, reason = "") => {
        status = statusCode;
        statusText = reason;
        headers = joinValues(received);
      },
      onResponseData: (controller, chunk) => {
        size += chunk.length;
        onData?.(chunk);
        body += decoder.decode(chunk, { stream: true });
        if (size <= maxResponseBytes) return;
        end({ isCut: true });
        controller.abort(new Error("the rest is not read"));
      },
      onResponseEnd: () => end({ isCut: false }),
      onResponseError: (_controller, error) => fail(error),
    });
  });
}

function joinValues(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}

/**
 * Why a connection failed, in words. The error of one that was tried at several addresses has no message of its own,
 * and that of TLS names a line of its source code.
 */
export function describeFailure(error: unknown): string {
  if (!Error.isError(error)) return String(error); // of a transport that the caller made
  if ("library" in error && "reason" in error && typeof error.reason === "string") {
    const code = "code" in error ? String(error.code) : "";
    const reason = plainResponseCodes.has(code)
      ? "does this port speak TLS? try http://"
      : error.reason;
    return `the TLS connection failed (${reason})`;
  }
  const [first] =
    "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  const message = error.message || (Error.isError(first) ? first.message : error.name);
  return message.replace(nodeAdvice, "; NODE_EXTRA_CA_CERTS names a file of authorities to trust");
}

/** Node's advice about an untrusted certificate is for the person who starts Node. */
const nodeAdvice = /; if the root CA is installed locally, try running Node\.js with .+$/;

/** The codes of TLS for a response in another protocol, such as that of an HTTP port. */
const plainResponseCodes = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
]);

// `dispatch` limits the time of a whole request.
export const poolOptions = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };
