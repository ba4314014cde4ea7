import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, type Socket, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { ConfigError, Unavailable } from "../../runtime/failures.ts";
import type { createApp } from "../http/app.ts";
import { type Log, countAndReport } from "../../runtime/log.ts";

/** An address to listen on, and the option that chooses the port. */
type Address = { host: string; port: number; option: "--port" | "--metrics-port" };

type Options = {
  /** How many connections are open at the same time; those beyond are closed at once. */
  maxConnections: number;
  /** How long requests in flight may take when the app stops, 10 s by default. */
  finishMs?: number | undefined;
  /** Whether the process may end while the app listens. */
  unref?: boolean | undefined;
  log?: Log | undefined;
};

export type Listening = {
  /** An address that a browser on this machine can open. */
  url: string;
  /** Whether other machines reach it at every address of this one. */
  allInterfaces: boolean;
  /** Takes no more connections, and finishes requests in flight. */
  stop: () => Promise<void>;
};

/** Lets an app listen. Errors: Unavailable; ConfigError for an empty host, which Node takes for all of them. */
export async function listen(
  app: ReturnType<typeof createApp>,
  address: Address,
  { maxConnections, finishMs, log, unref }: Options,
): Promise<Listening> {
  limitConnections(app.server, maxConnections, log);
  const stop = createStopper(app.server, finishMs);
  if (unref) app.server.unref().on("connection", (socket) => socket.unref());
  const { host, port } = address;
  try {
    if (host.trim() === "") throw new ConfigError("The host to listen on is empty.", hostHint);
    await app.listen({ host, port, backlog });
    const bound = app.server.address() as AddressInfo;
    return {
      url: toUrl(bound),
      allInterfaces: wildcards.has(bound.address),
      stop: async () => stop(async () => app.close()),
    };
  } catch (error) {
    await app.close();
    if (error instanceof ConfigError) throw error;
    throw new Unavailable(explainFailure(address, error as NodeJS.ErrnoException), {
      cause: error,
    });
  }
}

/** The maximum of connections in the system's queue; Node's default is 511, and Linux caps it at 4,096. */
const backlog = 4_096;
const warnEveryMs = 60_000;

function limitConnections(server: Server, maxConnections: number, log?: Log): void {
  server.maxConnections = maxConnections;
  const warn = countAndReport(warnEveryMs, (closed) =>
    log?.warn({ closed, max_connections: maxConnections }, "too many connections: closed new ones"),
  );
  server.on("drop", warn);
}

const hostHint = "Name an address of this machine; 0.0.0.0 or :: stands for all of its interfaces.";

/** The address of a socket that listens on every address, of IPv4 or of both. */
const wildcards = new Set(["0.0.0.0", "::", "::ffff:0.0.0.0"]);

function toUrl({ address, port }: AddressInfo): string {
  const host = wildcards.has(address) ? findLoopback(address) : address;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** If IPv6 is off on the loopback interface, `::` still listens on that of IPv4. */
function findLoopback(wildcard: string): string {
  const own = Object.values(networkInterfaces()).flat();
  const hasIPv6 = own.some((address) => address?.address === "::1");
  return wildcard === "::" && hasIPv6 ? "::1" : "127.0.0.1";
}

function explainFailure({ host, port, option }: Address, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use. Choose another one with ${option}, or ${option} 0 for any.`;
    case "EACCES":
      return `This user may not listen on port ${port}. Choose one from 1024 on with ${option}.`;
    default:
      // An unknown host is not repeated: a user may have typed a secret.
      return error.syscall === "getaddrinfo"
        ? "The host to listen on is not known. Choose an address of this machine with --host or PAYMENTS_HOST."
        : `The service cannot listen on ${host}, port ${port}: ${error.message}.`;
  }
}

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
    const responses = openResponses.get(socket) ?? addConnection(socket);
    responses.add(response);
    response.once("close", () => responses.delete(response));
    if (isStopping) closeAfterLast(responses);
  });

  /** A function of its own: a listener made beside a response keeps that in memory as long as the connection is open. */
  function addConnection(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    openResponses.set(socket, responses);
    socket.once("close", () => openResponses.delete(socket));
    return responses;
  }

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
