import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { acceptFirst } from "./accept-first.ts";
import { bodyBytes } from "./count-bytes.ts";

/** A connection, and the requests that have arrived on it and are not answered yet, in their order. */
type Connection = {
  socket: Socket;
  exchanges: { request: IncomingMessage; response: ServerResponse }[];
  waitingBytes: number;
  /** How much of its answers had been handed to the system, and since when it is no more. */
  progress: { bytes: number; sinceMs: number };
};

const KiB = 1024;
/** What the requests that wait for their turn may come to, on one connection and on all together. */
const maxWaitingBytes = { ofConnection: 1024 * KiB, ofAll: 16 * 1024 * KiB };
/** What Node keeps of a request besides its head and body, about, and how much of a body. */
const requestBytes = 4 * KiB;
const maxBodyBytes = 64 * KiB;
/** How often it is looked whether answers make progress, within the time that they may make none. */
const looksWithinLimit = 15;

/**
 * A server that works on the requests of a connection one at a time: the next one begins when the answer
 * to the one before has left, and once the connections that wait have been accepted. So whoever sends many together, or reads no answer, has at most one answer
 * kept in memory. An answer of which nothing has left for `stalledMs` ends its connection; so does
 * sending more than may wait. `isOwed` tells whether a request that has arrived whole on a connection
 * still waits for its answer.
 */
export function createServerInTurn(
  handle: RequestListener,
  { stalledMs, ...options }: ServerOptions & { stalledMs: number },
): { server: Server; isOwed: (socket: Socket) => boolean } {
  const connections = new Map<Socket, Connection>();
  let waitingBytes = 0;

  /** Whether the next request that comes on a connection would have to wait, and there is no room. */
  function isFull(socket: Socket): boolean {
    const connection = connections.get(socket);
    if (!connection || connection.exchanges.length === 0) return false;
    const { ofConnection, ofAll } = maxWaitingBytes;
    return connection.waitingBytes >= ofConnection || waitingBytes >= ofAll;
  }

  /**
   * Node parses all that a connection has sent together, some thousand requests, before anything else
   * happens. Only one that asks for another protocol is the last: so is one that there is no room for.
   */
  class Request extends IncomingMessage {
    declare asksForUpgrade: boolean; // set before fields are made
    get upgrade(): boolean {
      return this.asksForUpgrade || isFull(this.socket);
    }
    set upgrade(asks: boolean) {
      this.asksForUpgrade = asks;
    }
  }

  const server = createServer({
    ...options,
    IncomingMessage: Request,
    shouldUpgradeCallback: ({ socket }) => isFull(socket),
  });
  const whenAccepted = acceptFirst(server);
  server.on("request", take);
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.on("listening", () => {
    const looking = setInterval(endStalled, stalledMs / looksWithinLimit).unref();
    server.once("close", () => clearInterval(looking));
  });

  function take(request: IncomingMessage, response: ServerResponse): void {
    const connection = connections.get(request.socket) ?? opened(request.socket);
    connection.exchanges.push({ request, response });
    if (connection.exchanges.length === 1) begin(connection);
    else wait(connection, sizeOf(request));
  }

  function opened(socket: Socket): Connection {
    const progress = { bytes: 0, sinceMs: 0 };
    const connection: Connection = { socket, exchanges: [], waitingBytes: 0, progress };
    connections.set(socket, connection);
    socket.once("close", () => {
      connections.delete(socket);
      waitingBytes -= connection.waitingBytes;
    });
    return connection;
  }

  function begin(connection: Connection): void {
    const { socket, exchanges } = connection;
    const [first] = exchanges;
    if (!first) return;
    first.response.once("close", () => {
      exchanges.shift();
      if (!socket.writable) return; // it ends with this answer
      const [next] = exchanges;
      if (next) wait(connection, -sizeOf(next.request));
      begin(connection);
    });
    whenAccepted(() => {
      if (!first.response.destroyed) handle(first.request, first.response);
    });
  }

  function wait(connection: Connection, bytes: number): void {
    connection.waitingBytes += bytes;
    waitingBytes += bytes;
  }

  function endStalled(): void {
    const nowMs = performance.now();
    for (const { socket, exchanges, progress } of connections.values()) {
      const isAnswering = exchanges[0]?.response.headersSent;
      if (!isAnswering || progress.bytes !== socket.bytesWritten) {
        Object.assign(progress, { bytes: socket.bytesWritten, sinceMs: nowMs });
      } else if (nowMs - progress.sinceMs >= stalledMs) socket.destroy();
    }
  }

  return {
    server,
    isOwed: (socket) =>
      connections
        .get(socket)
        ?.exchanges.some(({ request, response }) => request.complete || response.headersSent) ??
      false,
  };
}

/** What a request that waits takes, its body included: that arrives before it is asked for. */
function sizeOf(request: IncomingMessage): number {
  const { rawHeaders, url = "" } = request;
  const head = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  return requestBytes + head + bodyBytes(request, maxBodyBytes);
}
