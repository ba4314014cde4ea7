import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { openUntilFileEnds } from "../open-until-file-ends.ts";

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
