import type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";

/** What hears of every request, retries included, and of what became of it. */
export type Trace = {
  sent: (request: TransportRequest) => void;
  answered: (answer: TransportAnswer, tookMs: number) => void;
  failed: (error: unknown, tookMs: number) => void;
};

/** A transport whose traffic can be watched. */
export function traceTransport(transport: Transport, trace: Partial<Trace>): Transport {
  return {
    send: async (request) => {
      const startMs = performance.now();
      trace.sent?.(request);
      try {
        const answer = await transport.send(request);
        trace.answered?.(answer, performance.now() - startMs);
        return answer;
      } catch (error) {
        trace.failed?.(error, performance.now() - startMs);
        throw error;
      }
    },
    close: async () => transport.close(),
  };
}
