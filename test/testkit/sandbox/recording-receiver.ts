import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { openUntilFileEnds } from "../open-until-file-ends.ts";
import type { Event } from "../../../src/contract/event.ts";

/** An attempt as it arrived: `at` is the time at which it was signed. */
export type Arrival = {
  path: string;
  at: number;
  event: Event;
  body: string;
  headers: Record<string, string | string[] | undefined>;
};

/** A server that records webhooks in the order of their arrival; `answer` says the status of each, 200 by default. */
export async function openRecordingReceiver(
  answer: (arrival: Arrival, earlier: number) => number = () => 200,
) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const { headers, url = "/" } = request;
    const body = await text(request);
    const at = Number(headers["webhook-timestamp"]);
    const arrival: Arrival = { path: url, at, event: JSON.parse(body) as Event, body, headers };
    const earlier = arrivals.filter(
      ({ path, event }) => path === url && event.id === arrival.event.id,
    ).length;
    arrivals.push(arrival);
    response.writeHead(answer(arrival, earlier)).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  openUntilFileEnds(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { arrivals, url: (path: string) => `http://127.0.0.1:${port}${path}` };
}
