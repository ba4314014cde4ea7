import type { Dispatcher } from "undici";
import type { Route } from "../contract/route.ts";
import { loadPart } from "../runtime/node-version.ts";
import { withTimeout } from "../runtime/timeouts.ts";
import { dispatch } from "./dispatch.ts";
import { describeFailure } from "./failure-reason.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { findProxy, isRuledOut, type Proxy } from "./proxy.ts";

export type TransportRequest = {
  method: Route["method"];
  /** Path and query, below the base URL. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** Aborted when the caller no longer waits: a transport may abort the request then. */
  signal?: AbortSignal;
};

export type TransportAnswer = { status: number; headers: Record<string, string>; body: string };

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

// `dispatch` limits the time of a whole request.
export const poolOptions = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };

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
          proxy,
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
    send: async ({ timeoutMs, signal, path, ...request }) => {
      opened ??= open(timeoutMs);
      const whole = { ...request, origin, path: prefix + path };
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
      }).catch((error: unknown) => {
        throw isSending ? error : toNotSent(error);
      });
      if (isCut) throw new Error(`the answer is larger than ${formatSize(maxResponseBytes)}`);
      return response;
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

/** The service in this process. */
export type EmbeddedService = {
  call: (request: Omit<TransportRequest, "timeoutMs">) => Promise<TransportAnswer>;
  close: () => Promise<void>;
};

/** Requests to the service in this process, opened at the first one. */
export function createEmbeddedTransport(open: () => Promise<EmbeddedService>): Transport {
  let service: Promise<EmbeddedService> | undefined;
  return {
    send: async ({ timeoutMs, ...request }) => {
      service ??= open();
      const { call } = await service;
      return await withTimeout(call(request), timeoutMs, () => {
        throw new Error(`no answer within ${timeoutMs / 1000} s`);
      });
    },
    close: async () => {
      const opened = await service?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** Watches every request, retries included. */
export type Trace = {
  sent: (request: TransportRequest) => void;
  answered: (response: TransportAnswer, tookMs: number) => void;
  failed: (error: unknown, tookMs: number) => void;
};

/** A transport whose traffic is watched. */
export function traceTransport(transport: Transport, trace: Partial<Trace>): Transport {
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
