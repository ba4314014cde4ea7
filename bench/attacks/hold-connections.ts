// Opens COUNT abusive connections of several kinds from the address SOURCE, and reopens those that are closed:
//   node hold-connections.ts URL COUNT SOURCE
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const [url = "", count = "0", localAddress = "127.0.0.1"] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const silent = "";
const halfRequest = "GET /docs/errors HTTP/1.1\r\nHost: x\r\nX-Half";
const unreadRequest = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n";
const unreadRequests = "GET /docs/errors HTTP/1.1\r\nHost: x\r\n\r\n".repeat(20);
/** A few of these are enough: they keep the service too busy to accept connections. */
const busyEvery = 64;
const forms = [silent, halfRequest, unreadRequest];
const formOf = (index: number) =>
  index % busyEvery === 0 ? unreadRequests : (forms[index % forms.length] ?? silent);
const reopenAfterMs = 1_000;

function hold(form: string): void {
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on("error", () => {});
  socket.on("close", () => setTimeout(hold, reopenAfterMs, form));
  socket.write(form);
  if (form === silent || form === halfRequest) socket.resume();
  else socket.pause();
}

for (let index = 0; index < Number(count); index++) {
  if (index % 100 === 99) await delay(20); // the system's queue would overflow
  hold(formOf(index));
}
