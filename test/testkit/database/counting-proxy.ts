import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished, vi } from "vitest";

/**
 * Stands between a client and the database of a URL, and counts how often the client said something
 * after it had been answered: its round trips. Until the test has ended no timer rings, so that what a
 * driver does by itself, after a second, is not counted on a busy machine.
 */
export async function countingProxy(database: string) {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const url = new URL(database);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets: Socket[] = [];
  let turns = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true });
    sockets.push(client, upstream);
    let isClientsTurn = true;
    client.on("data", (bytes) => {
      if (isClientsTurn) turns++;
      isClientsTurn = false;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      isClientsTurn = true;
      client.write(bytes);
    });
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const turnsDuring = async (work: () => Promise<unknown>): Promise<number> => {
    const before = turns;
    await work();
    return turns - before;
  };
  return { url: url.href, turnsDuring };
}
