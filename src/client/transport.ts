import type { Dispatcher } from "undici";
import type { Route } from "../contract/routes.ts";
import { proxyFor } from "./proxy.ts";

export type TransportRequest = {
  method: Route["method"];
  /** Path and query, below the base URL. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
};

export type TransportAnswer = { status: number; headers: Record<string, string>; body: string };

/** How requests reach a service. A promise that rejects means that no whole answer arrived. */
export type Transport = {
  send(request: TransportRequest): Promise<TransportAnswer>;
  close(): Promise<void>;
};

type TransportLimits = { connections: number; maxAnswerBytes: number };

const clientLimits: TransportLimits = { connections: 32, maxAnswerBytes: 64 * 1024 * 1024 };

// Time is kept in one place below, for all of a request.
const poolOptions = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };

/**
 * Requests over HTTP, on connections that are kept and used again, and through the proxy that the
 * environment names.
 */
export function httpTransport(baseUrl: string, limits = clientLimits): Transport {
  const { connections, maxAnswerBytes } = limits;
  const url = new URL(baseUrl);
  const { origin } = url;
  const prefix = url.pathname.replace(/\/+$/, "");
  let opened: Promise<Dispatcher> | undefined;

  async function open(timeoutMs: number): Promise<Dispatcher> {
    const proxy = proxyFor(url, process.env);
    const options = { ...poolOptions, connections, connectTimeout: timeoutMs };
    return proxy
      ? (await import("./through-proxy.ts")).throughProxy(proxy, options)
      : (await import("./direct.ts")).direct(url, options);
  }

  return {
    send: async ({ timeoutMs, path, ...request }) => {
      opened ??= open(timeoutMs);
      const whole = { ...request, origin, path: prefix + path };
      const { isCut, ...answer } = await dispatch(await opened, whole, {
        timeoutMs,
        maxAnswerBytes,
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

/**
 * The answer to one request, in so much time for all of it. One that is larger is cut, and its
 * connection with it.
 */
export async function dispatch(
  dispatcher: Dispatcher,
  request: Omit<TransportRequest, "timeoutMs"> & { origin: string },
  { timeoutMs, maxAnswerBytes }: { timeoutMs: number; maxAnswerBytes: number },
): Promise<TransportAnswer & { isCut: boolean }> {
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
    function end({ isCut }: { isCut: boolean }): void {
      clearTimeout(timer);
      resolve({ status, headers, body: body + decoder.decode(), isCut });
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
      onResponseData: (controller, chunk) => {
        size += chunk.length;
        body += decoder.decode(chunk, { stream: true });
        if (size <= maxAnswerBytes) return;
        end({ isCut: true });
        controller.abort(new Error("the rest is not read"));
      },
      onResponseEnd: () => end({ isCut: false }),
      onResponseError: (_controller, error) => fail(error),
    });
  });
}

function sizeText(bytes: number): string {
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
}

function single(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}
