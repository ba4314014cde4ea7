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
  const unanswered = new Map<Socket, number>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = unanswered.get(socket);
    if (count === undefined) socket.once("close", () => unanswered.delete(socket));
    unanswered.set(socket, (count ?? 0) + 1);
    response.once("close", () => {
      if (!socket.closed) unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
    });
  });
  return async (close) => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      const isOver = unanswered.values().every((count) => count === 0);
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
