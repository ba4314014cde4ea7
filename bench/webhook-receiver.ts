// An endpoint in a process of its own: it responds after the given number of milliseconds, by default at once, refuses
// one event in so many, by default none, and reports at GET / how many different events it has accepted.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [answersAfterMs = 0, refusesOneIn = Infinity] = process.argv.slice(2).map(Number);
const ids = new Set<unknown>();
let count = 0;
const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ events: ids.size }));
    return;
  }
  const isRefused = ++count % refusesOneIn === 0;
  if (!isRefused) ids.add(request.headers["webhook-id"]);
  const answer = () => response.writeHead(isRefused ? 500 : 204).end();
  request
    .resume()
    .once("end", () => (answersAfterMs > 0 ? setTimeout(answer, answersAfterMs) : answer()));
}).listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
