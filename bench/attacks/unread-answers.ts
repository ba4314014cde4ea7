import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { makeLargePayments, startAttacked, type Attacked, type Observation } from "./attacked.ts";

const closedWithinMs = 20_000;
const maxGrowthMiB = 150;

/** Connections that pipeline many requests, and read nothing. */
export async function attackWithUnreadAnswers(): Promise<Observation[]> {
  return [
    // More than the system keeps of a connection: else it takes them all, and the service has nothing left to send.
    ...(await leaveUnread("lists", 60, 12, async (attacked) => {
      await makeLargePayments(attacked);
      return `/v1/payments?limit=100`;
    })),
    ...(await leaveUnread("descriptions of the API", 15, 1_700, async () => "/openapi.json")),
    ...(await leaveUnread("pages of errors", 1_000, 500, async () => "/docs/errors")),
  ];
}

async function leaveUnread(
  what: string,
  connections: number,
  requests: number,
  prepare: (attacked: Attacked) => Promise<string>,
): Promise<Observation[]> {
  const attacked = await startAttacked();
  const path = await prepare(attacked);
  await attacked.serve("/v1/payments"); // the first request loads modules, which is no growth
  const before = attacked.memoryMiB();
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${attacked.authorization}\r\n\r\n`;
  const { port } = new URL(attacked.url);
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    socket.pause();
    socket.write(request.repeat(requests));
    return socket;
  });
  await delay(closedWithinMs);
  const peak = attacked.peakMiB();
  const open = (await Promise.all(sockets.map(isOpen))).filter(Boolean).length;
  for (const socket of sockets) socket.destroy();
  await attacked.end();
  return [
    {
      what: `${connections} × ${requests} unread ${what}: growth in MiB`,
      seen: peak - before,
      max: maxGrowthMiB,
    },
    { what: `${what}: connections open after 20 s`, seen: open, max: 0 },
  ];
}

/** A paused socket learns of its end only when it is read. */
async function isOpen(socket: Socket): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => socket.once("close", () => resolve(false)));
  if (socket.closed) return false;
  socket.resume();
  return await Promise.race([closed, delay(2_000, true)]);
}
