import Pool from "undici/lib/dispatcher/pool.js";

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

/** Requests over HTTP, on connections that are kept and used again. */
export function httpTransport(baseUrl: string): Transport {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, "");
  let pool: Pool | undefined;
  return {
    send: async ({ timeoutMs, path, ...request }) => {
      // Time is kept in one place below, for all of a request.
      pool ??= new Pool(origin, {
        connections: maxConnections,
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: { timeout: timeoutMs },
      });
      return await dispatch(pool, { ...request, path: prefix + path }, timeoutMs);
    },
    close: async () => pool?.destroy(),
  };
}

async function dispatch(
  pool: Pool,
  request: { method: "GET" | "POST"; path: string; headers: Record<string, string>; body?: string },
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

    pool.dispatch(request, {
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
