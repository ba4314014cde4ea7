// An endpoint in a process of its own: it responds after the given number of milliseconds, by default at once, and
// reports at GET / how many events have come.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const answersAfterMs = Number(process.argv[2] ?? 0);
const ids = new Set<unknown>();
const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ events: ids.size }));
    return;
  }
  ids.add(request.headers["webhook-id"]);
  const answer = () => response.writeHead(204).end();
  request
    .resume()
    .once("end", () => (answersAfterMs > 0 ? setTimeout(answer, answersAfterMs) : answer()));
}).listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
