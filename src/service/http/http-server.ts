import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { answerBrokenRequests } from "./broken-requests.ts";

/** The time for a request's headers to arrive, for all of it, and the time after which a response counts as stalled. */
export type TimeLimits = { headersMs: number; requestMs: number; stalledMs: number };
export const defaultTimeLimits: TimeLimits = {
  headersMs: 5_000,
  requestMs: 15_000,
  stalledMs: 15_000,
};
/** Longer than proxies leave a connection idle: else a proxy could send a request while the service closes it. */
const keepAliveMs = 72_000;

/** A connection, with its requests that have arrived and are not answered yet, in their order. */
type Connection = {
  socket: Socket;
  exchanges: { request: IncomingMessage; response: ServerResponse }[];
  queuedBytes: number;
  /** The bytes of responses that were handed to the system, and when their number last grew. */
  progress: { bytes: number; sinceMs: number };
  /** Ends the connection once the responses that are due have left, since what came after their requests is broken. */
  end?: () => void;
};

const KiB = 1024;
/** Limits of queued requests, for one connection and for all together. */
const maxQueuedBytes = { ofConnection: 1024 * KiB, ofAll: 16 * 1024 * KiB };
/** About as much memory as Node uses for a request besides its head and body, and for a body. */
const requestBytes = 4 * KiB;
const maxBodyBytes = 64 * KiB;
const stallChecksPerLimit = 15;

/**
 * Node's server with the limits that it lacks (docs/decisions/8-operating.md). It handles the requests of a
 * connection one at a time, each when the response before it has left, so that a client that pipelines, or does
 * not read, has one response in memory at most. A connection with too many queued requests is closed, and so is
 * one whose response stalls. Broken requests are answered in the error envelope.
 */
export function createHttpServer(
  handle: RequestListener,
  docsUrl: () => string,
  timeLimits: Partial<TimeLimits> = {},
): Server {
  const { headersMs, requestMs, stalledMs } = { ...defaultTimeLimits, ...timeLimits };
  const connections = new Map<Socket, Connection>();
  let queuedBytes = 0;

  /** Whether the next request of a connection would be queued, and there is no room. */
  function isFull(socket: Socket): boolean {
    const connection = connections.get(socket);
    if (!connection || connection.exchanges.length === 0) return false;
    const { ofConnection, ofAll } = maxQueuedBytes;
    return connection.queuedBytes >= ofConnection || queuedBytes >= ofAll;
  }

  /**
   * Node parses all that a connection has sent, some thousand requests, before anything else happens. Only a
   * request to upgrade stops the parser: a request for which there is no room pretends to be one. Without it the
   * attack `unread-answers` (a thousand connections with 500 requests each) takes 250 MiB, and none is closed.
   */
  class Request extends IncomingMessage {
    declare isUpgrade: boolean; // set before fields are made
    get upgrade(): boolean {
      return this.isUpgrade || isFull(this.socket);
    }
    set upgrade(isUpgrade: boolean) {
      this.isUpgrade = isUpgrade;
    }
  }

  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: 500,
    keepAliveTimeout: keepAliveMs,
    requireHostHeader: false, // see checkHost
    IncomingMessage: Request,
    shouldUpgradeCallback: ({ socket }) => isFull(socket),
  });
  const runAfterAccepting = prioritizeAccepting(server);
  server.on("request", add);
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  server.on("listening", () => {
    const checking = setInterval(endStalled, stalledMs / stallChecksPerLimit).unref();
    server.once("close", () => clearInterval(checking));
  });
  answerBrokenRequests(server, docsUrl, afterResponses);

  function add(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket) ?? addConnection(request.socket);
    connection.exchanges.push({ request, response });
    if (connection.exchanges.length === 1) handleFirst(connection);
    else changeQueued(connection, estimateBytes(request));
  }

  function addConnection(socket: Socket): Connection {
    const progress = { bytes: 0, sinceMs: 0 };
    const connection: Connection = { socket, exchanges: [], queuedBytes: 0, progress };
    connections.set(socket, connection);
    socket.once("close", () => {
      connections.delete(socket);
      queuedBytes -= connection.queuedBytes;
    });
    return connection;
  }

  function handleFirst(connection: Connection): void {
    const { socket, exchanges } = connection;
    const [first] = exchanges;
    if (!first) return;
    first.response.on("close", () => {
      exchanges.shift();
      if (!socket.writable) return; // it ends with this response
      const [next] = exchanges;
      if (connection.end && !next?.request.complete) {
        connection.end();
        return;
      }
      if (next) changeQueued(connection, -estimateBytes(next.request));
      handleFirst(connection);
    });
    runAfterAccepting(() => {
      if (!first.response.destroyed) handle(first.request, first.response);
    });
  }

  function changeQueued(connection: Connection, bytes: number): void {
    connection.queuedBytes += bytes;
    queuedBytes += bytes;
  }

  /** Without it the attack `unread-answers` holds its connections, and the lists in them, for ever. */
  function endStalled(): void {
    const nowMs = performance.now();
    for (const { socket, exchanges, progress } of connections.values()) {
      const isAnswering = exchanges[0]?.response.headersSent;
      if (!isAnswering || progress.bytes !== socket.bytesWritten) {
        Object.assign(progress, { bytes: socket.bytesWritten, sinceMs: nowMs });
      } else if (nowMs - progress.sinceMs >= stalledMs) socket.destroy();
    }
  }

  /** Runs `respond` once the responses are sent that are due on a connection. */
  function afterResponses(socket: Socket, respond: () => void): void {
    const connection = connections.get(socket);
    const exchanges = connection?.exchanges ?? [];
    const isDue = exchanges.some(
      ({ request, response }) => request.complete || response.headersSent,
    );
    if (!connection || !isDue) {
      respond();
      return;
    }
    const last = exchanges.at(-1);
    const isAnswered = last && !last.request.complete && last.response.headersSent;
    connection.end ??= isAnswered ? () => socket.destroySoon() : respond;
  }

  return server;
}

/** The memory of a queued request with its body, which arrives before it is read. */
function estimateBytes(request: IncomingMessage): number {
  const { rawHeaders, url = "" } = request;
  const headBytes = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  return requestBytes + headBytes + getAnnouncedBodyBytes(request, maxBodyBytes);
}

/** How many bytes of a body may arrive, by the request's headers. */
export function getAnnouncedBodyBytes({ headers }: IncomingMessage, limit: number): number {
  const length = headers["content-length"];
  if (length === undefined) return headers["transfer-encoding"] === undefined ? 0 : limit;
  return Math.min(Number(length), limit) || 0;
}

/** For how many turns of the event loop accepting connections comes before requests. */
const maxAcceptingTurns = 100;
/** How many deferred requests begin in one turn: as many as SQLite commits together. */
const requestsPerTurn = 256;

/**
 * The event loop accepts one connection a turn, and a turn with hundreds of requests takes 100 ms: a queue of
 * new connections would wait for minutes. The returned function defers work while a connection comes every turn.
 */
export function prioritizeAccepting(server: Server): (work: () => void) => void {
  const deferred: (() => void)[] = [];
  let hasAccepted = false;
  let isDeferring = false;
  let turns = 0;

  function startDeferring(): void {
    hasAccepted = true;
    if (isDeferring) return;
    isDeferring = true;
    setImmediate(runTurn);
  }

  function runTurn(): void {
    if (hasAccepted && turns < maxAcceptingTurns) {
      turns++;
    } else {
      turns = 0;
      for (const work of deferred.splice(0, requestsPerTurn)) work();
    }
    isDeferring = hasAccepted || deferred.length > 0;
    hasAccepted = false;
    if (isDeferring) setImmediate(runTurn);
  }

  server.on("connection", startDeferring);
  server.on("drop", startDeferring);
  return (work) => {
    if (isDeferring) deferred.push(work);
    else work();
  };
}
