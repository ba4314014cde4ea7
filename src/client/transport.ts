import type { Dispatcher } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";
import { isLocalName, lookUpLocalName } from "./loopback.ts";
import { proxyFor, type Proxy } from "./proxy.ts";

export type TransportRequest = {
  method: "GET" | "POST";
  /** Path and query, from `/v1` on. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
};

export type TransportAnswer = { status: number; headers: Record<string, string>; body: string };

/** How requests reach the service. A promise that rejects means that no whole answer arrived. */
export type Transport = {
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): Promise<void>;
};

const maxConnections = 32;
const maxAnswerBytes = 64 * 1024 * 1024;

// Time is kept in one place below, for all of a request.
const poolOptions = { connections: maxConnections, headersTimeout: 0, bodyTimeout: 0 };

/**
 * Requests over HTTP, on connections that are kept and used again, and through the proxy that the
 * environment names.
 */
export function httpTransport(baseUrl: string): Transport {
  const url = new URL(baseUrl);
  const { origin } = url;
  const prefix = url.pathname.replace(/\/+$/, "");
  let opened: Dispatcher | Promise<Dispatcher> | undefined;

  function open(timeoutMs: number): Dispatcher | Promise<Dispatcher> {
    const proxy = proxyFor(url, process.env);
    if (proxy) return throughProxy(proxy, timeoutMs);
    const named = isLocalName(url.hostname) && { lookup: lookUpLocalName };
    return new Pool(origin, { ...poolOptions, connect: { timeout: timeoutMs, ...named } });
  }

  return {
    send: async ({ timeoutMs, path, ...request }) => {
      opened ??= open(timeoutMs);
      return await dispatch(await opened, { ...request, origin, path: prefix + path }, timeoutMs);
    },
    close: async () => (await opened)?.destroy(),
  };
}

/** What a proxy takes, which is the whole of undici, is loaded only where there is one. */
async function throughProxy({ url, except }: Proxy, timeoutMs: number): Promise<Dispatcher> {
  const { default: undici } = await import("undici");
  const named = { httpProxy: url, httpsProxy: url, noProxy: except };
  return new undici.EnvHttpProxyAgent({ ...poolOptions, ...named, connectTimeout: timeoutMs });
}

async function dispatch(
  dispatcher: Dispatcher,
  request: Omit<TransportRequest, "timeoutMs"> & { origin: string },
  timeoutMs: number,
): Promise<TransportAnswer> {
  return await new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let failure: Error | undefined;
    let status = 0;
    let headers: Record<string, string> = {};
    let size = 0;
    let body = "";
    const decoder = new TextDecoder();

    function fail(error: Error): void {
      clearTimeout(timer);
      failure ??= error;
      reject(error);
      abort?.(error);
    }
    const timer = setTimeout(
      () => fail(new Error(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );

    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        // One that waited too long for its turn was given up: it must not be sent any more.
        if (failure) controller.abort(failure);
        abort = (reason) => controller.abort(reason);
      },
      onResponseStart: (_controller, statusCode, received) => {
        status = statusCode;
        headers = single(received);
      },
      onResponseData: (_controller, chunk) => {
        size += chunk.length;
        body += decoder.decode(chunk, { stream: true });
        if (size > maxAnswerBytes) fail(new Error("the answer is larger than 64 MiB"));
      },
      onResponseEnd: () => {
        clearTimeout(timer);
        resolve({ status, headers, body: body + decoder.decode() });
      },
      onResponseError: (_controller, error) => fail(error),
    });
  });
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}
