import type { Dispatcher } from "undici";
import type { Route } from "../contract/routes.ts";
import { dispatch } from "./dispatch.ts";
import { describeFailure } from "./failure-reason.ts";
import { findProxy } from "./proxy.ts";

export type TransportRequest = {
  method: Route["method"];
  /** Path and query, below the base URL. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** Aborted when nobody waits for the answer any more: a transport may give the request up then. */
  signal?: AbortSignal;
};

export type TransportAnswer = { status: number; headers: Record<string, string>; body: string };

/**
 * How requests reach a service. A promise that rejects means that no whole answer arrived; with a
 * `NotSentError`, that the service cannot have got the request either.
 */
export type Transport = {
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): Promise<void>;
};

/** Nothing of a request was sent, since no connection came about; `cause` says why. */
export class NotSentError extends Error {
  override name = "NotSentError";

  constructor(cause: Error) {
    super(describeFailure(cause), { cause });
  }
}

type TransportLimits = { connections: number; maxAnswerBytes: number };

const clientLimits: TransportLimits = { connections: 32, maxAnswerBytes: 64 * 1024 * 1024 };

// Time is kept in one place below, for all of a request.
export const poolOptions = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };

/**
 * Requests over HTTP, on connections that are kept and used again, and through the proxy that the
 * environment names. Throws a `TypeError` where the URL is none of HTTP.
 */
export function createHttpTransport(baseUrl: string, limits = clientLimits): Transport {
  const { connections, maxAnswerBytes } = limits;
  const url = new URL(baseUrl);
  const { origin, protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError("baseUrl must begin with http:// or https://.");
  }
  const prefix = url.pathname.replace(/\/+$/, "");
  let opened: Promise<Dispatcher> | undefined;

  async function open(timeoutMs: number): Promise<Dispatcher> {
    const proxy = findProxy(url, process.env);
    const options = { ...poolOptions, connections, connectTimeout: timeoutMs };
    return proxy
      ? (await import("./through-proxy.ts")).connectThroughProxy(proxy, options)
      : (await import("./direct.ts")).connectDirectly(url, options);
  }

  return {
    send: async ({ timeoutMs, signal, path, ...request }) => {
      opened ??= open(timeoutMs);
      const whole = { ...request, origin, path: prefix + path };
      let isSending = false;
      const { isCut, ...answer } = await dispatch(await opened, whole, {
        timeoutMs,
        maxAnswerBytes,
        signal,
        onSending: () => (isSending = true),
      }).catch((error: unknown) => {
        throw isSending ? error : new NotSentError(error as Error);
      });
      if (isCut) throw new Error(`the answer is larger than ${sizeText(maxAnswerBytes)}`);
      return answer;
    },
    close: async () =>
      opened?.then(
        async (dispatcher) => dispatcher.destroy(),
        () => {}, // it never opened, which whoever sent has been told
      ),
  };
}

function sizeText(bytes: number): string {
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
}
