import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * What becomes of a piece of what a client sends: it passes, it passes as the last one before the
 * connection is cut, or from one of its bytes on it is held with all that follows, even when the
 * client has gone.
 */
export type Fate = "pass" | "pass and cut" | { holdFrom: number };

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/**
 * A way to a server that fails as networks do. `fateOf` is asked about each piece that a client
 * sends, as text.
 */
export async function startTcpProxy(
  target: { host: string; port: number },
  fateOf: (piece: string) => Fate = () => "pass",
) {
  const connections = new Set<ReturnType<typeof joined>>();
  const forgotten = new Set<ReturnType<typeof joined>>();
  let isStalled = false;
  const proxy = createServer((client) => {
    const connection = joined(client, connect(target), fateOf);
    connections.add(connection);
    if (isStalled) connection.pause();
    client.once("close", () => connections.delete(connection));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  const held: (() => Promise<unknown>)[] = [];

  async function refuse(): Promise<void> {
    const closed = proxy.listening ? once(proxy, "close") : undefined;
    if (closed) proxy.close();
    for (const connection of [...connections, ...forgotten]) connection.cut();
    await closed;
  }

  return {
    port,
    /** Takes new connections, and lets nothing through in either direction. */
    stall: () => {
      isStalled = true;
      for (const connection of connections) connection.pause();
    },
    /** The connections of now are never heard of again, on neither side. */
    forget: () => {
      for (const connection of connections) {
        connection.pause();
        connections.delete(connection);
        forgotten.add(connection);
      }
    },
    /** Lets through what was stalled: a network sends again what did not arrive. */
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
    /** Sends on what was held of clients that have gone, and waits until the server is done with it. */
    release: async () => {
      await Promise.all(held.splice(0).map(async (letGo) => letGo()));
    },
  };

  /** A connection of a client and its own to the server. */
  function joined(client: Socket, server: Socket, fate: (piece: string) => Fate) {
    let kept: Buffer[] | undefined;
    client.on("data", (piece) => {
      if (kept) return kept.push(piece);
      const what = fate(piece.toString("latin1"));
      if (what === "pass and cut") return cutAfter(piece);
      if (what === "pass") return server.write(piece);
      server.write(piece.subarray(0, what.holdFrom));
      kept = [piece.subarray(what.holdFrom)];
      return held.push(release);
    });
    server.on("data", (piece) => client.write(piece));
    client.on("close", () => !kept && server.end());
    server.on("close", () => client.destroy());
    client.on("error", () => client.destroy());
    server.on("error", () => server.destroy());

    /** The server has done what it was sent before the client can notice that it hears no more. */
    function cutAfter(piece: Buffer): void {
      server.removeAllListeners("data").resume();
      server.end(piece); // it closes when it is done, and that closes the client's
    }

    async function release(): Promise<void> {
      const { promise: isDone, resolve } = Promise.withResolvers<void>();
      if (server.closed) return;
      server.once("close", resolve); // also where it has given up waiting
      server.end(Buffer.concat(kept ?? []));
      await isDone;
    }
    return {
      pause: () => [client, server].forEach((socket) => socket.pause()),
      resume: () => [client, server].forEach((socket) => socket.resume()),
      cut: () => [client, server].forEach((socket) => socket.destroy()),
    };
  }
}
