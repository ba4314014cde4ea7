import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { Client } from "pg";
import { onTestFinished, vi } from "vitest";

/**
 * Starts a proxy between a client and a database that counts the client's round trips. Timers are stopped until the
 * test has ended, so that the driver's own queries are not counted on a busy machine.
 */
export async function startCountingProxy(database: string) {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const url = new URL(database);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets: Socket[] = [];
  let turns = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true });
    sockets.push(client, upstream);
    let isClientTurn = true;
    client.on("data", (bytes) => {
      if (isClientTurn) turns++;
      isClientTurn = false;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      isClientTurn = true;
      client.write(bytes);
    });
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const countRoundTrips = async (work: () => Promise<unknown>): Promise<number> => {
    const before = turns;
    await work();
    return turns - before;
  };
  return { url: url.href, countRoundTrips };
}

type Options = {
  /** Whether a connection to the server is assigned to each transaction of a client, or to its whole session. */
  per: "transaction" | "session";
  /** Which idle connection is assigned next. */
  next: "used last" | "used first";
  connections: number;
  /** Whether a transaction ends its client's connection, as in PgBouncer's statement mode; no by default. */
  refusesTransactions?: boolean;
};

/**
 * Starts a pooler in front of a database that does not support prepared statements: it forwards messages as they are.
 * Returns its URL.
 */
export async function startPooler(
  database: string,
  { per, next, connections, refusesTransactions = false }: Options,
) {
  const idle = await Promise.all(
    Array.from({ length: connections }, () => openAuthenticatedSocket(database)),
  );
  const sockets = [...idle];

  function accept(client: Socket): void {
    sockets.push(client);
    let server: Socket | undefined;
    let pendingReplies = 0;
    const fromServer = splitMessages((type, whole) => {
      const isReady = type === "Z";
      const isInTransaction = isReady && whole.toString("latin1", typeBytes + lengthBytes) !== "I";
      if (isInTransaction && refusesTransactions) {
        client.end(transactionRefusal);
        server?.destroy();
        return;
      }
      client.write(whole);
      if (!isReady) return;
      pendingReplies--;
      if (per === "transaction" && pendingReplies === 0 && !isInTransaction) release();
    });
    const fromClient = splitMessages((type, whole) => {
      if (type === "X") {
        client.end();
        return;
      }
      server ??= acquire();
      if (type === "Q" || type === "S") pendingReplies++;
      server.write(whole);
    });
    function acquire(): Socket {
      const socket = next === "used last" ? idle.pop() : idle.shift();
      if (!socket) throw new Error("The pooler has no connection left.");
      return socket.on("data", fromServer);
    }
    function release(): void {
      if (server) idle.push(server.off("data", fromServer));
      server = undefined;
    }
    client.once("data", () => {
      client.write(welcome);
      client.on("data", fromClient);
    });
    client.on("error", () => client.destroy());
  }

  const pooler = createServer({ noDelay: true }, accept);
  pooler.listen(0, "127.0.0.1");
  await once(pooler, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    pooler.close();
  });
  const url = new URL(database);
  url.port = String((pooler.address() as AddressInfo).port);
  return url.href;
}

const typeBytes = 1;
const lengthBytes = 4;
const madeUpProcess = 1;

/** Authentication succeeded, a made-up process id, and ready for queries. */
const welcome = Buffer.concat([
  buildMessage("R", Buffer.alloc(4)),
  buildMessage("K", Buffer.from([0, 0, 0, madeUpProcess, 0, 0, 0, 0])),
  buildMessage("Z", Buffer.from("I")),
]);

const transactionRefusal = buildMessage(
  "E",
  Buffer.from("SFATAL\0C08P01\0Mtransaction blocks not allowed in statement pooling mode\0\0"),
);

export function buildMessage(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeInt32BE(lengthBytes + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** Splits a stream of bytes into whole messages. */
function splitMessages(give: (type: string, whole: Buffer) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= typeBytes + lengthBytes) {
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) return;
      const whole = rest.subarray(0, end);
      rest = rest.subarray(end);
      give(whole.toString("latin1", 0, typeBytes), whole);
    }
  };
}

/** Opens an authenticated socket to the server, without the client that opened it. */
async function openAuthenticatedSocket(database: string): Promise<Socket> {
  const client = new Client(database);
  await client.connect();
  const stream = (client as Client & { connection: { stream: Socket } }).connection.stream;
  return stream.removeAllListeners().on("error", () => stream.destroy());
}
