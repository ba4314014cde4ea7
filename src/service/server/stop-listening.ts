import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const sweepEveryMs = 50;
/** How long no connection comes before the system's queue of them is taken for empty, and how long that may take. */
const quietMs = 50;
const maxAcceptMs = 1_000;

/**
 * How a server stops: it accepts the connections that the system has already taken, then no more; what is not
 * finished within a time is cut, and connections on which nothing has been asked are closed at once. From the
 * beginning of its end each connection is closed with its last answer. To be set up before the first request.
 */
export function createStopper(
  server: Server,
  cutAfterMs = 10_000,
): (close: () => Promise<void>) => Promise<void> {
  // By connection: where that is cut, a request that waits behind another is not told.
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
    await untilNoneComes(server);
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      const isOver = unanswered.values().every(({ size }) => size === 0);
      if (isOver) server.closeAllConnections(); // the rest has not asked anything
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
 * Says in the last answer of a connection that it is closed: a client must not send another request where none
 * is read. Once the app closes, Fastify says so itself of all that begins, and so of what waits behind it.
 */
function closeAfterLast(responses: Set<ServerResponse>): void {
  const last = [...responses].at(-1);
  for (const response of responses) response.shouldKeepAlive = response !== last;
}

/** Resolves when connections have stopped coming: a server that closes resets those that it has not accepted. */
async function untilNoneComes(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasCome = false;
  const quiet = setTimeout(() => {
    hasCome = false;
    // A turn that took long has held up the accepting as well: one more is made here, before it is decided.
    setImmediate(() => {
      if (!hasCome) resolve();
    });
  }, quietMs);
  const timeout = setTimeout(resolve, maxAcceptMs);
  const wait = () => {
    hasCome = true;
    quiet.refresh();
  };
  server.on("connection", wait).on("drop", wait);
  await promise;
  server.off("connection", wait).off("drop", wait);
  clearTimeout(quiet);
  clearTimeout(timeout);
}
