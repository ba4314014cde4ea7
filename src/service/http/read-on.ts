import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";

/** How long, and how much of it, a request is read after its response has been sent. */
export const readOnLimits = { ms: 5_000, bytes: 32 * 1024 * 1024 };

/**
 * Reads on what a client still sends when it has been refused, throws it away, and closes the connection only then. A
 * connection that is closed with unread bytes is reset: the client, which reads when it has sent all, would see a
 * broken pipe instead of its response, and send it all again.
 */
export function readOnBeforeClosing(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const { raw } = request;
    const isClosing = !reply.raw.shouldKeepAlive || reply.getHeader("connection") === "close";
    if (raw.complete || raw.readableEnded || !isClosing || typeof payload !== "string") {
      done(null, payload);
      return;
    }
    request.answeredAtMs = performance.now(); // from here on it is the client's time, not the service's
    reply.header("content-length", Buffer.byteLength(payload));
    done(null, Readable.from(sendAndReadOn(payload, raw)));
  });
}

async function* sendAndReadOn(payload: string, request: Readable): AsyncGenerator<string> {
  yield payload;
  await readOn(request);
}

/** Resolves when all of a request or connection has come, its client has gone, or a limit is reached. */
export async function readOn(request: Readable, maxMs = readOnLimits.ms): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > readOnLimits.bytes) resolve();
  };
  const timer = setTimeout(resolve, maxMs);
  request.on("data", count).once("close", resolve).once("end", resolve).resume();
  await promise;
  clearTimeout(timer);
  request.off("data", count).pause();
}
