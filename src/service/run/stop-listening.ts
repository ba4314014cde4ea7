import type { IncomingMessage, Server, ServerResponse } from "node:http";

const sweepEveryMs = 50;

/**
 * How a server stops: no new connections, what is not finished within a time is cut, and connections
 * on which nothing has been asked are closed at once. To be set up before the first request.
 */
export function stopper(
  server: Server,
  cutAfterMs = 10_000,
): (close: () => Promise<void>) => Promise<void> {
  let unanswered = 0;
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    unanswered++;
    response.once("close", () => unanswered--);
  });
  return async (close) => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      if (unanswered === 0) server.closeAllConnections(); // the rest has not asked anything
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
