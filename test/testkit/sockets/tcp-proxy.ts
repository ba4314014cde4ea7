import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type Socket, connect, createServer } from "node:net";

/**
 * The fate of a chunk that a client sends: it passes; it passes as the last one before the connection is cut; or
 * the proxy buffers it from one of its bytes on, with all that follows, even after the client has disconnected.
 */
export type Fate = "pass" | "pass and cut" | { bufferFrom: number };

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/**
 * A proxy in front of a server that fails like a network. `chooseFate` is called with each chunk that a client
 * sends, as text.
 */
export async function startTcpProxy(
  target: { host: string; port: number },
  chooseFate: (chunk: string) => Fate = () => "pass",
) {
  const connections = new Set<ReturnType<typeof joinSockets>>();
  const droppedConnections = new Set<ReturnType<typeof joinSockets>>();
  let isStalled = false;
  const proxy = createServer((client) => {
    const connection = joinSockets(client, connect(target), chooseFate);
    connections.add(connection);
    if (isStalled) connection.pause();
    client.once("close", () => connections.delete(connection));
  });
  const port = await freePort(); // it must still be free when connections are accepted again
  proxy.listen(port, "127.0.0.1");
  await once(proxy, "listening");
  const releases: (() => Promise<unknown>)[] = [];

  async function refuse(): Promise<void> {
    const closed = proxy.listening ? once(proxy, "close") : undefined;
    if (closed) proxy.close();
    for (const connection of [...connections, ...droppedConnections]) connection.cut();
    await closed;
  }

  return {
    port,
    /** Accepts connections, but transfers no data in either direction. */
    stall: () => {
      isStalled = true;
      for (const connection of connections) connection.pause();
    },
    /** Stops transferring data of the current connections for good, without closing them. */
    drop: () => {
      for (const connection of connections) {
        connection.pause();
        connections.delete(connection);
        droppedConnections.add(connection);
      }
    },
    /** Transfers the stalled data, since a network repeats lost packets. */
    resume: () => {
      isStalled = false;
      for (const connection of connections) connection.resume();
    },
    /** Cuts every connection and refuses new ones. */
    refuse,
    accept: async () => {
      proxy.listen(port, "127.0.0.1");
      await once(proxy, "listening");
    },
    /** Sends the buffered data of disconnected clients, and waits until the server has handled it. */
    release: async () => {
      await Promise.all(releases.splice(0).map(async (release) => release()));
    },
  };

  /** A connection of a client and its own to the server. */
  function joinSockets(client: Socket, server: Socket, chooseChunkFate: (chunk: string) => Fate) {
    let buffered: Buffer[] | undefined;
    client.on("data", (chunk) => {
      if (buffered) return buffered.push(chunk);
      const fate = chooseChunkFate(chunk.toString("latin1"));
      if (fate === "pass and cut") return cutAfter(chunk);
      if (fate === "pass") return server.write(chunk);
      server.write(chunk.subarray(0, fate.bufferFrom));
      buffered = [chunk.subarray(fate.bufferFrom)];
      return releases.push(release);
    });
    server.on("data", (chunk) => client.write(chunk));
    client.on("close", () => !buffered && server.end());
    server.on("close", () => client.destroy());
    client.on("error", () => client.destroy());
    server.on("error", () => server.destroy());

    /** The server handles the chunk before the client can notice the cut. */
    function cutAfter(chunk: Buffer): void {
      server.removeAllListeners("data").resume();
      server.end(chunk); // its close then closes the client's connection
    }

    async function release(): Promise<void> {
      const { promise: isDone, resolve } = Promise.withResolvers<void>();
      if (server.closed) return;
      server.once("close", resolve); // also after a timeout of the server
      server.end(Buffer.concat(buffered ?? []));
      await isDone;
    }
    return {
      pause: () => [client, server].forEach((socket) => socket.pause()),
      resume: () => [client, server].forEach((socket) => socket.resume()),
      cut: () => [client, server].forEach((socket) => socket.destroy()),
    };
  }
}

/**
 * A port of 127.0.0.1 that was free a moment ago. It is none of those that the system gives to connections
 * (from 32768 on Linux, from 49152 elsewhere), so no connection of another test takes it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
