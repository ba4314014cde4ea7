import type { FastifyInstance } from "fastify";

/** Lets requests pass, and holds them up while everything starts over. */
export function createRequestGate() {
  let underWay = 0;
  let opened = Promise.withResolvers<void>();
  let left = Promise.withResolvers<void>();
  opened.resolve();

  return {
    watch: (app: FastifyInstance, isExempt: (url: string) => boolean): void => {
      app.addHook("onRequest", async (request, reply) => {
        if (isExempt(request.url)) return;
        await opened.promise;
        underWay++;
        reply.raw.once("close", () => {
          underWay--;
          if (underWay === 0) left.resolve();
        });
      });
    },
    /** Closes the gate, and waits until the requests under way have been answered; the returned function opens it. */
    close: async (): Promise<() => void> => {
      opened = Promise.withResolvers<void>();
      left = Promise.withResolvers<void>();
      if (underWay > 0) await left.promise;
      return opened.resolve;
    },
  };
}
