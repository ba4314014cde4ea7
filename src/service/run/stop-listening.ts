import type { IncomingMessage, Server, ServerResponse } from "node:http";

const cutAfterMs = 10_000;
const sweepEveryMs = 50;

/**
 * How a server stops: no new connections, what is under way is finished within 10 s, and connections
 * on which nothing has been asked are closed at once. To be set up before the first request.
 */
export function stopper(server: Server): (close: () => Promise<void>) => Promise<void> {
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
