import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const sweepEveryMs = 50;
/** The system's queue of connections counts as empty when none came for this long, or after the maximum. */
const quietMs = 50;
const maxAcceptMs = 1_000;

/**
 * Returns the function that stops a server: it accepts the connections that wait in the system's queue, then no
 * more. It closes each connection with its last response, idle ones at once, and all after `cutAfterMs`. To be
 * set up before the first request.
 */
export function createStopper(
  server: Server,
  cutAfterMs = 10_000,
): (close: () => Promise<void>) => Promise<void> {
  // By connection: when that is cut, the response of a queued request emits nothing.
  const openResponses = new Map<Socket, Set<ServerResponse>>();
  let isStopping = false;
  // Before the app's own listener, which may answer at once.
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    let responses = openResponses.get(socket);
    if (!responses) {
      responses = new Set();
      openResponses.set(socket, responses);
      socket.once("close", () => openResponses.delete(socket));
    }
    responses.add(response);
    response.once("close", () => responses.delete(response));
    if (isStopping) closeAfterLast(responses);
  });
  return async (close) => {
    isStopping = true;
    openResponses.forEach(closeAfterLast);
    const cut = setTimeout(() => server.closeAllConnections(), cutAfterMs);
    await waitForQuiet(server);
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      const isOver = openResponses.values().every(({ size }) => size === 0);
      if (isOver) server.closeAllConnections(); // the remaining clients have not sent a whole request
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
 * The last response of a connection gets `Connection: close`, so that the client sends no further request. Once
 * the app closes, Fastify would set it on the responses before the last, too.
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
