// Asks for the largest page on so many connections, again and again, until it is ended.
import { Agent, get } from "node:http";

const [url, authorization, connections] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const pauseMs = 50;
let answers = 0;

function ask(): void {
  get(`${url}/v1/payments?limit=100`, { agent, headers: { authorization } }, (answer) => {
    answer.resume();
    answer.on("end", () => {
      if (answers++ === 0) process.stdout.write("begun\n");
      setImmediate(ask);
    });
    answer.on("error", askLater);
  }).on("error", askLater);
}

function askLater(): void {
  setTimeout(ask, pauseMs);
}

for (let nth = 0; nth < Number(connections); nth++) ask();
