import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const sweepEveryMs = 50;

/**
 * How a server stops: no new connections, what is not finished within a time is cut, and connections
 * on which nothing has been asked are closed at once. To be set up before the first request.
 */
export function stopper(
  server: Server,
  cutAfterMs = 10_000,
): (close: () => Promise<void>) => Promise<void> {
  // By connection: where that is cut, a request that waits behind another is not told.
  const unanswered = new Map<Socket, Set<ServerResponse>>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    let responses = unanswered.get(socket);
    if (!responses) {
      responses = new Set();
      unanswered.set(socket, responses);
      socket.once("close", () => unanswered.delete(socket));
    }
    responses.add(response);
    response.once("close", () => responses.delete(response));
  });
  return async (close) => {
    // A client must not send another request where none is read. Fastify says so itself of what it begins
    // from now on, and so of all that waits behind another request.
    for (const [first, next] of unanswered.values()) {
      if (first && !next) first.shouldKeepAlive = false;
    }
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      const isOver = unanswered.values().every(({ size }) => size === 0);
      if (isOver) server.closeAllConnections(); // the rest has not asked anything
    }, sweepEveryMs);
    const cut = setTimeout(() => server.closeAllConnections(), cutAfterMs);
    try {
      await close();
    } finally {
      clearInterval(sweep);
      clearTimeout(cut);
    }
  };
}
