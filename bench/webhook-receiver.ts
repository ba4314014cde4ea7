// An endpoint in a process of its own: it answers at once, and says at GET / how many events have come.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ids = new Set<unknown>();
const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ events: ids.size }));
    return;
  }
  ids.add(request.headers["webhook-id"]);
  request.resume().once("end", () => response.writeHead(204).end());
}).listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
