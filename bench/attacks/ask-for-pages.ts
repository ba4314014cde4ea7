// Requests the largest page in a loop, on so many connections, until this process is killed.
import { Agent, get } from "node:http";

const [url, authorization, connections] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const pauseMs = 50;
let responses = 0;

function requestPage(): void {
  get(`${url}/v1/payments?limit=100`, { agent, headers: { authorization } }, (response) => {
    response.resume();
    response.on("end", () => {
      if (responses++ === 0) process.stdout.write("begun\n");
      setImmediate(requestPage);
    });
    response.on("error", requestLater);
  }).on("error", requestLater);
}

function requestLater(): void {
  setTimeout(requestPage, pauseMs);
}

for (let nth = 0; nth < Number(connections); nth++) requestPage();
