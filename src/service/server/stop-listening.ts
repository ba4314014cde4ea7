import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const sweepEveryMs = 50;
/** The system's queue of connections is taken for empty when none came for so long, or after a maximum. */
const quietMs = 50;
const maxAcceptMs = 1_000;

/**
 * How a server stops: it accepts the connections that the system has already taken, then no more, and closes
 * each with its last response, idle ones at once, and all after `cutAfterMs`. To be set up before the first
 * request.
 */
export function createStopper(
  server: Server,
  cutAfterMs = 10_000,
): (close: () => Promise<void>) => Promise<void> {
  // By connection: when that is cut, the response of a queued request emits nothing.
  const unanswered = new Map<Socket, Set<ServerResponse>>();
  let isStopping = false;
  // Before the app's own listener, which may answer at once.
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    let responses = unanswered.get(socket);
    if (!responses) {
      responses = new Set();
      unanswered.set(socket, responses);
      socket.once("close", () => unanswered.delete(socket));
    }
    responses.add(response);
    response.once("close", () => responses.delete(response));
    if (isStopping) closeAfterLast(responses);
  });
  return async (close) => {
    isStopping = true;
    unanswered.forEach(closeAfterLast);
    const cut = setTimeout(() => server.closeAllConnections(), cutAfterMs);
    await waitForQuiet(server);
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      const isOver = unanswered.values().every(({ size }) => size === 0);
      if (isOver) server.closeAllConnections(); // what is left has not sent a whole request
    }, sweepEveryMs);
    try {
      await close();
    } finally {
      clearInterval(sweep);
      clearTimeout(cut);
    }
  };
}

/**
 * Has the last response of a connection say that it closes: no client may send a request where none is read.
 * Once the app closes, Fastify says so of every response, and so also of those before the last.
 */
function closeAfterLast(responses: Set<ServerResponse>): void {
  const last = [...responses].at(-1);
  for (const response of responses) response.shouldKeepAlive = response !== last;
}

/** Resolves when no new connections come: a server that closes resets those that it has not accepted. */
async function waitForQuiet(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasCome = false;
  const quiet = setTimeout(() => {
    hasCome = false;
    // A long turn of the event loop has delayed accepting, too: one more turn comes before the decision.
    setImmediate(() => {
      if (!hasCome) resolve();
    });
  }, quietMs);
  const timeout = setTimeout(resolve, maxAcceptMs);
  const restart = () => {
    hasCome = true;
    quiet.refresh();
  };
  server.on("connection", restart).on("drop", restart);
  await promise;
  server.off("connection", restart).off("drop", restart);
  clearTimeout(quiet);
  clearTimeout(timeout);
}
