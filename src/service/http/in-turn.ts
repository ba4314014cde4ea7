import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A connection, and the requests that have arrived on it and are not answered yet, in their order. */
type Connection = {
  socket: Socket;
  exchanges: { request: IncomingMessage; response: ServerResponse }[];
  waitingBytes: number;
  /** How much of its answers had left when that was looked at, and since when it is no more. */
  left: { bytes: number; sinceMs: number };
};

const KiB = 1024;
/** What the requests that wait for their turn may come to, on one connection and on all together. */
const maxWaitingBytes = { ofConnection: 1024 * KiB, ofAll: 32 * 1024 * KiB };
/** What Node keeps of a request besides its head, about. */
const requestBytes = 4 * KiB;
const looksWithinLimit = 15;

/**
 * Has the requests of a connection worked on one at a time: the next one begins when the answer to the
 * one before has left. So whoever sends many together, or reads no answer, has at most one answer kept
 * in memory. An answer of which nothing has left for `stalledMs` ends its connection; so does sending
 * more than may wait.
 */
export function inTurn(handle: RequestListener, stalledMs: number) {
  const connections = new Map<Socket, Connection>();
  let waitingBytes = 0;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed) return; // cut, with more in what it sent together
    const connection = connections.get(socket) ?? opened(socket);
    connection.exchanges.push({ request, response });
    if (connection.exchanges.length === 1) begin(connection);
    else wait(connection, sizeOf(request));
  }

  function opened(socket: Socket): Connection {
    const left = { bytes: 0, sinceMs: 0 };
    const connection: Connection = { socket, exchanges: [], waitingBytes: 0, left };
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
      if (exchanges.length > 0) stopWaiting(connection, exchanges[0]?.request);
      begin(connection);
    });
    handle(first.request, first.response);
  }

  function wait(connection: Connection, bytes: number): void {
    connection.waitingBytes += bytes;
    waitingBytes += bytes;
    const { ofConnection, ofAll } = maxWaitingBytes;
    if (connection.waitingBytes > ofConnection || waitingBytes > ofAll) connection.socket.destroy();
  }

  function stopWaiting(connection: Connection, request: IncomingMessage | undefined): void {
    const bytes = request ? sizeOf(request) : 0;
    connection.waitingBytes -= bytes;
    waitingBytes -= bytes;
  }

  function endStalled(): void {
    const nowMs = performance.now();
    for (const { socket, exchanges, left } of connections.values()) {
      const isAnswering = exchanges[0]?.response.headersSent;
      if (!isAnswering || left.bytes !== socket.bytesWritten) {
        Object.assign(left, { bytes: socket.bytesWritten, sinceMs: nowMs });
      } else if (nowMs - left.sinceMs >= stalledMs) socket.destroy();
    }
  }
  const looking = setInterval(endStalled, stalledMs / looksWithinLimit).unref();

  return {
    take,
    /** Whether a request that has arrived whole on a connection still waits for its answer. */
    isOwed: (socket: Socket): boolean =>
      connections
        .get(socket)
        ?.exchanges.some(({ request, response }) => request.complete || response.headersSent) ??
      false,
    close: () => clearInterval(looking),
  };
}

function sizeOf({ rawHeaders, url = "" }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, requestBytes + url.length);
}
