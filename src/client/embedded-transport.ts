import type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";

/** The service in this process (see server.ts). */
export type EmbeddedService = {
  call: (request: Omit<TransportRequest, "timeoutMs">) => Promise<TransportAnswer>;
  close: () => Promise<void>;
};

/** Requests to the service in this process, opened at the first one. */
export function embeddedTransport(open: () => Promise<EmbeddedService>): Transport {
  let service: Promise<EmbeddedService> | undefined;
  return {
    send: async ({ method, path, headers, body }) => {
      service ??= open();
      const { call } = await service;
      return await call({ method, path, headers, ...(body !== undefined && { body }) });
    },
    close: async () => {
      const opened = await service?.catch(() => undefined);
      await opened?.close();
    },
  };
}
