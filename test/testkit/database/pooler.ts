import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { Client } from "pg";
import { onTestFinished } from "vitest";

type Options = {
  /** What of a client gets one connection to the server: each of its transactions, or all it does. */
  per: "transaction" | "session";
  /** Which of those that are not in use is next. */
  next: "used last" | "used first";
  connections: number;
};

/**
 * Stands between clients and the database of a URL as a pooler that knows nothing of prepared
 * statements: it hands on what clients say as it is. Gives the URL that leads to it.
 */
export async function startPooler(database: string, { per, next, connections }: Options) {
  const idle = await Promise.all(Array.from({ length: connections }, () => connect(database)));
  const sockets = [...idle];

  function connected(client: Socket): void {
    sockets.push(client);
    let server: Socket | undefined;
    let unanswered = 0;
    const fromServer = messages((type, whole) => {
      client.write(whole);
      if (type !== "Z") return;
      unanswered--;
      const isInTransaction = whole.toString("latin1", typeBytes + lengthBytes) !== "I";
      if (per === "transaction" && unanswered === 0 && !isInTransaction) giveBack();
    });
    const fromClient = messages((type, whole) => {
      if (type === "X") {
        client.end();
        return;
      }
      server ??= take();
      if (type === "Q" || type === "S") unanswered++;
      server.write(whole);
    });
    function take(): Socket {
      const taken = next === "used last" ? idle.pop() : idle.shift();
      if (!taken) throw new Error("The pooler has no connection left.");
      return taken.on("data", fromServer);
    }
    function giveBack(): void {
      if (server) idle.push(server.off("data", fromServer));
      server = undefined;
    }
    client.once("data", () => {
      client.write(welcome);
      client.on("data", fromClient);
    });
    client.on("error", () => client.destroy());
  }

  const pooler = createServer({ noDelay: true }, connected);
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

/** Who connects is let in, is told of a process that is none, and may ask. */
const welcome = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("K", Buffer.from([0, 0, 0, madeUpProcess, 0, 0, 0, 0])),
  message("Z", Buffer.from("I")),
]);

export function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeInt32BE(lengthBytes + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** Gives on each whole message of what arrives in pieces. */
function messages(give: (type: string, whole: Buffer) => void): (piece: Buffer) => void {
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

/** A connection to the server whose client is left out once it is let in. */
async function connect(database: string): Promise<Socket> {
  const client = new Client(database);
  await client.connect();
  const stream = (client as Client & { connection: { stream: Socket } }).connection.stream;
  return stream.removeAllListeners().on("error", () => stream.destroy());
}
