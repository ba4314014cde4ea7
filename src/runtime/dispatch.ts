import type { Dispatcher } from "undici";

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

    function settle(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
    function fail(error: Error): void {
      settle();
      failure ??= error;
      reject(error);
      abort?.(error);
    }
    function onAbort(): void {
      fail(new Error("aborted by the caller"));
    }
    function end({ isCut }: { isCut: boolean }): void {
      settle();
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
