import { spawnSync } from "node:child_process";
import { Client } from "pg";
import { openService } from "../../../src/service/server/open-service.ts";
import { freePort } from "../sockets/free-port.ts";
import { startServing, createTemporaryFolder, type Serving } from "../command/installed-command.ts";

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
    const { service, close } = await openService({ database });
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
export async function queryRows<R>(database: string, sql: string): Promise<R[]> {
  const client = new Client(database);
  await client.connect();
  return await client.query(sql).then(
    async ({ rows }) => client.end().then(() => rows as R[]),
    async (error: unknown) => client.end().then(() => Promise.reject(error as Error)),
  );
}
