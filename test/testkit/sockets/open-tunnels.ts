import type { IncomingMessage, Server } from "node:http";
import type { Http2SecureServer } from "node:http2";
import { connect, type AddressInfo, type Socket } from "node:net";
import { openUntilFileEnds } from "../open-until-file-ends.ts";

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
