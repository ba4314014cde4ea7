import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { openDriver } from "../../../src/service/database/database.ts";
import { queryRows } from "../../../src/service/database/driver.ts";
import {
  type Serving,
  createTemporaryFolder,
  findOwnDatabase,
  startServing,
} from "../command/installed-command.ts";
import { openBoundService } from "../service/bind-use-cases.ts";
import { freePort } from "../sockets/tcp-proxy.ts";

export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** The built service in several processes on one database, each on a port that it uses again after a restart. */
export async function startReplicas(count: number, database: string, ...argv: string[]) {
  const home = createTemporaryFolder();
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  const processes = new Map<number, Serving>();
  const started: Serving[] = [];

  async function start(port: number): Promise<void> {
    const flags = ["--port", String(port), "--database", database, "--log-level", "error"];
    const serving = await startServing(home, ...flags, ...argv);
    processes.set(port, serving);
    started.push(serving);
  }

  async function createKey() {
    const { service, close } = await openBoundService({ database });
    return await service.createKey({ mode: "test", name: "replicas" }).finally(close);
  }

  await Promise.all(ports.map(start));
  return {
    ports,
    urls: ports.map(urlOf),
    start,
    end: async (port: number, signal: NodeJS.Signals) => processes.get(port)?.kill(signal),
    /** Kills the processes that a replica has started, such as the one that indexes payments. */
    killChildren: (port: number) => {
      const parent = String(processes.get(port)?.pid);
      const { stdout } = spawnSync("pgrep", ["-P", parent], { encoding: "utf8" });
      for (const pid of stdout.split("\n").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
    },
    createKey,
    /** The log of all replicas, including those that have ended. */
    log: () => started.map((serving) => serving.log()).join(""),
  };
}

export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** A random element. */
export function pickRandom<T>(all: T[]): T {
  return all[Math.floor(Math.random() * all.length)] as T;
}

/** Queries the database itself. */
export async function queryDatabase<R>(database: string, sql: string): Promise<R[]> {
  const client = new Client(database);
  await client.connect();
  return await client.query(sql).then(
    async ({ rows }) => client.end().then(() => rows as R[]),
    async (error: unknown) => client.end().then(() => Promise.reject(error as Error)),
  );
}

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

const statements = [
  "UPDATE charges SET due_at_ms = 0 WHERE due_at_ms > 0",
  "UPDATE hosted_pages SET claimed_until_ms = 0 WHERE claimed_until_ms > 0",
  "UPDATE idempotency_records SET locked_until_ms = 1 WHERE locked_until_ms > 0",
];

/** Ends the leases and locks that a killed service of this home has left, which last 30 s. No other may be running. */
export async function endLeases(home: string): Promise<void> {
  const driver = await openDriver(findOwnDatabase(home));
  for (const sql of statements) await driver.write(() => queryRows(sql, []));
  await driver.close();
}
