import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { Http2SecureServer } from "node:http2";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import type { Answer } from "../app/open-app.ts";
import { openUntilFileEnds } from "../open-until-file-ends.ts";

/**
 * A TCP connection to the service that sends exactly the given text, and reads the answers one by
 * one. `ended` resolves when the service closes the connection, with what was not read yet.
 */
export async function rawConnection(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    socket.once("close", () => {
      isOver = true;
      resolve(received);
    });
  });
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => (received += chunk));
  socket.on("error", () => {}); // a reset counts as an end
  await once(socket, "connect");

  /** The next answer, in full. */
  async function answer(): Promise<Answer> {
    for (;;) {
      const next = parseFirstAnswer(received);
      if (next) {
        received = received.slice(next.length);
        return next.answer;
      }
      if (isOver) throw new Error(`The connection ended after ${JSON.stringify(received)}`);
      await Promise.race([once(socket, "data"), ended]);
    }
  }

  return {
    socket,
    ended,
    answer,
    send: (text: string | Buffer) => void socket.write(text),
    close: () => void socket.destroy(),
  };
}

/** Sends one request, its head in lines, and reads its answer. */
export async function rawAnswer(
  url: string,
  lines: string[],
  body: string | Buffer = "",
): Promise<Answer> {
  const connection = await rawConnection(url);
  try {
    connection.send(
      Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body)]),
    );
    return await connection.answer();
  } finally {
    connection.close();
  }
}

function parseFirstAnswer(text: string): { answer: Answer; length: number } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (text.length < length) return undefined;
  const body = Buffer.from(text.slice(end + 4, length), "latin1").toString();
  return { answer: { status: Number(first.split(" ")[1]), headers, text: body }, length };
}

export type RawServer = {
  port: number;
  /** The number of connections so far, and of bytes that they have sent. */
  connections: number;
  bytes: number;
  /** The connections that are open. */
  sockets: Set<Socket>;
};

/** A server at every address of this machine that calls `greet` with each connection. */
export async function rawServer(greet: (socket: Socket) => void = () => {}): Promise<RawServer> {
  const server = createServer((socket) => {
    seen.connections++;
    seen.sockets.add(socket);
    socket.on("error", () => {}).on("close", () => seen.sockets.delete(socket));
    socket.on("data", ({ length }) => (seen.bytes += length));
    greet(socket);
  }).listen(0);
  await once(server, "listening");
  const seen: RawServer = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    bytes: 0,
    sockets: new Set(),
  };
  openUntilFileEnds(() => {
    for (const socket of seen.sockets) socket.destroy();
    server.close();
  });
  return seen;
}

/** A proxy whose tunnels all lead to one port of this machine, for every requested host. */
export async function openTunnels(port: number, server: Server | Http2SecureServer) {
  const requested: (string | undefined)[] = [];
  server.on("connect", ({ url }: IncomingMessage, socket: Socket) => {
    requested.push(url);
    const upstream = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  openUntilFileEnds(() => server.close());
  return { host: `localhost:${(server.address() as AddressInfo).port}`, requested };
}
