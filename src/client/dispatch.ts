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
