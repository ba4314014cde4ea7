import { withTimeout } from "../runtime/promises.ts";
import type { Transport, TransportAnswer, TransportRequest } from "../runtime/http-transport.ts";

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
