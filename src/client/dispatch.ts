import type { Dispatcher } from "undici";

export type DispatchedResponse = {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Whether more than this was on its way. */
  isCut: boolean;
};

/**
 * The answer to one request, in so much time for all of it, and before `signal`. One that is larger is
 * cut, and its connection with it. `onSending` hears of it before the first byte is written.
 */
export async function dispatch(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  {
    timeoutMs,
    maxAnswerBytes,
    signal,
    onSending,
  }: {
    timeoutMs: number;
    maxAnswerBytes: number;
    signal?: AbortSignal | undefined;
    onSending?: () => void;
  },
): Promise<DispatchedResponse> {
  return await new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let failure: Error | undefined;
    let status = 0;
    let headers: Record<string, string> = {};
    let size = 0;
    let body = "";
    const decoder = new TextDecoder();

    function settle(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
    function fail(error: Error): void {
      settle();
      failure ??= error;
      reject(error);
      abort?.(error);
    }
    function giveUp(): void {
      fail(new Error("nobody waits for the answer any more"));
    }
    function end({ isCut }: { isCut: boolean }): void {
      settle();
      resolve({ status, headers, body: body + decoder.decode(), isCut });
    }
    const timer = setTimeout(
      () => fail(new Error(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    signal?.addEventListener("abort", giveUp);
    if (signal?.aborted) giveUp();

    dispatcher.dispatch(request, {
      onRequestStart: (controller) => {
        // One that was given up before it had its turn must not be sent any more.
        if (failure) controller.abort(failure);
        else onSending?.();
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

function single(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}
