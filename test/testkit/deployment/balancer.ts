import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a load balancer before replicas: each new connection goes to the next one that accepts it. Gives its URL. */
export async function startBalancer(ports: number[]): Promise<string> {
  let turn = 0;
  const open = new Set<Socket>();
  const balancer = createServer({ pauseOnConnect: true }, (client) => {
    open.add(client);
    client.on("error", () => client.destroy());
    client.once("close", () => open.delete(client));
    void connectToNext(ports.length).then((replica) => {
      if (!replica) return client.destroy();
      client.once("close", () => replica.destroy());
      replica.once("close", () => client.destroy());
      client.pipe(replica).pipe(client);
      return client.resume();
    });
  });

  async function connectToNext(attempts: number): Promise<Socket | undefined> {
    if (attempts === 0) return undefined;
    turn = (turn + 1) % ports.length;
    const replica = connect({ host: "127.0.0.1", port: ports[turn] ?? 0 });
    const isAccepted = await once(replica, "connect").then(
      () => true,
      () => false,
    );
    replica.on("error", () => replica.destroy());
    return isAccepted ? replica : await connectToNext(attempts - 1);
  }

  balancer.listen(0, "127.0.0.1");
  await once(balancer, "listening");
  onTestFinished(() => {
    balancer.close();
    for (const client of open) client.destroy();
  });
  return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}
