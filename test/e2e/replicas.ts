import { Client } from "pg";
import { freePort } from "../free-port.ts";
import { payments, startServing, temporaryFolder, type Serving } from "./installed-command.ts";

export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** The built service in several processes on one database, each on a port that stays its own. */
export async function startReplicas(count: number, database: string, ...argv: string[]) {
  const home = temporaryFolder();
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

  async function run(...command: string[]): Promise<{ id: string; key: string }> {
    const { status, stdout, stderr } = await payments(
      home,
      ...command,
      "--database",
      database,
      "--json",
    );
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as { id: string; key: string };
  }

  await Promise.all(ports.map(start));
  return {
    ports,
    urls: ports.map(urlOf),
    start,
    end: async (port: number, signal: NodeJS.Signals) => processes.get(port)?.kill(signal),
    createKey: async (name = "replicas") => run("keys", "create", "--mode", "test", "--name", name),
    revokeKey: async (id: string) => run("keys", "revoke", id),
    /** What all of them have logged, those that are gone included. */
    log: () => started.map((serving) => serving.log()).join(""),
  };
}

export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** One of them, at random. */
export function oneOf<T>(all: T[]): T {
  return all[Math.floor(Math.random() * all.length)] as T;
}

/** Asks the database itself. */
export async function rowsOf<R>(database: string, sql: string): Promise<R[]> {
  const client = new Client(database);
  await client.connect();
  return await client.query(sql).then(
    async ({ rows }) => client.end().then(() => rows as R[]),
    async (error: unknown) => client.end().then(() => Promise.reject(error as Error)),
  );
}
