import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** How often the sandbox had started over when this request passed the gate. */
    passedAt?: number;
  }
}

/** A request that waits for its client: for the rest of its body, or for its answer to be read. */
type Waiting = { response: ServerResponse; looks: number };

const lookEveryMs = 100;
/**
 * A request that still waits for its client at so many looks is cut. Looks and not a time: where the process itself was
 * late, its client may have been quick.
 */
const maxLooks = 5;

/** Lets requests pass, and holds them up while everything starts over. */
export function createRequestGate() {
  let underWay = 0;
  const waiting = new Map<FastifyRequest, Waiting>();
  let timesClosed = 0;
  let opened = Promise.withResolvers<void>();
  let left = Promise.withResolvers<void>();
  opened.resolve();

  function enter(): void {
    underWay++;
  }
  function leave(): void {
    underWay--;
    if (underWay === 0) left.resolve();
  }
  function cutIdle(): void {
    for (const each of waiting.values()) if (++each.looks > maxLooks) each.response.destroy();
  }
  async function waitUntilOpen(): Promise<void> {
    await opened.promise;
  }

  return {
    /**
     * A request is under way until its connection is done with it and its handler has ended, which may be later: the
     * work goes on where the client has gone. A request whose client has gone before its work began does nothing in
     * what has started over meanwhile.
     */
    watch: (app: FastifyInstance, isExempt: (url: string) => boolean): void => {
      app.addHook("onRequest", async (request, reply) => {
        if (isExempt(request.url)) return;
        await waitUntilOpen();
        if (reply.raw.destroyed) {
          reply.hijack(); // it would never be seen to leave
          return;
        }
        request.passedAt = timesClosed;
        enter();
        waiting.set(request, { response: reply.raw, looks: 0 });
        reply.raw.once("close", () => {
          waiting.delete(request);
          leave();
        });
      });
      app.addHook("onRoute", (route) => {
        if (isExempt(route.url)) return;
        const { handler } = route;
        route.handler = async function handle(request, reply): Promise<unknown> {
          if (request.passedAt !== timesClosed) return reply.hijack();
          enter();
          waiting.delete(request);
          try {
            return await handler.call(this, request, reply);
          } finally {
            if (!reply.raw.closed) waiting.set(request, { response: reply.raw, looks: 0 });
            leave();
          }
        };
      });
    },
    waitUntilOpen,
    /** Does work that a new start has to wait for. */
    pass: async <T>(work: () => Promise<T>): Promise<T> => {
      await waitUntilOpen();
      enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    /**
     * Closes the gate, and waits until the requests under way have ended; the returned function opens it. Work is waited
     * for, but not a client that sends no more of its request, or does not read the answer: its connection is cut.
     */
    close: async (): Promise<() => void> => {
      opened = Promise.withResolvers<void>();
      const looking = setInterval(cutIdle, lookEveryMs);
      for (;;) {
        if (underWay === 0) break;
        left = Promise.withResolvers<void>();
        await left.promise;
      }
      clearInterval(looking);
      timesClosed++;
      return opened.resolve;
    },
  };
}
