import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished, vi } from "vitest";

/**
 * Starts a proxy between a client and a database that counts the client's round trips. Timers are stopped until the
 * test has ended, so that the driver's own queries are not counted on a busy machine.
 */
export async function startCountingProxy(database: string) {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const url = new URL(database);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets: Socket[] = [];
  let turns = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true });
    sockets.push(client, upstream);
    let isClientTurn = true;
    client.on("data", (bytes) => {
      if (isClientTurn) turns++;
      isClientTurn = false;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      isClientTurn = true;
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
  const countRoundTrips = async (work: () => Promise<unknown>): Promise<number> => {
    const before = turns;
    await work();
    return turns - before;
  };
  return { url: url.href, countRoundTrips };
}
