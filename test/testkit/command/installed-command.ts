import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";
import { openBoundService } from "../service/bind-use-cases.ts";
import { databaseOfHome } from "../database/open-database.ts";

const command = new URL("../../../bin/run.js", import.meta.url).pathname;

export type Ended = { status: number | null; stdout: string; stderr: string };

/** A new folder for a test, removed at its end. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "payments-e2e-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the built command as a user would, with only its home set. */
export function spawnPayments(
  home: string,
  argv: string[],
  variables: Record<string, string> = {},
): ChildProcess {
  const own = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" };
  const env = { ...own, ...databaseOfHome(home), ...variables };
  return spawn(process.execPath, [command, ...argv], { env, cwd: home });
}

/** Runs the built command to its end. */
export async function runBuiltPayments(home: string, ...argv: string[]): Promise<Ended> {
  const child = spawnPayments(home, argv);
  const ended: Ended = { status: null, stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (ended.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (ended.stderr += chunk.toString()));
  child.stdin?.end();
  const [status] = (await once(child, "close")) as [number | null];
  return { ...ended, status };
}

export type Serving = {
  url: string;
  pid: number | undefined;
  log: () => string;
  kill: (signal: NodeJS.Signals) => Promise<void>;
};

/** Starts `payments serve`, and waits until it listens, on a free port unless one is given. */
export async function startServing(home: string, ...argv: string[]): Promise<Serving> {
  return await startServingWith({}, home, ...argv);
}

/** As `startServing`, with environment variables. */
export async function startServingWith(
  variables: Record<string, string>,
  home: string,
  ...argv: string[]
): Promise<Serving> {
  const port = argv.includes("--port") ? [] : ["--port", "0"];
  const child = spawnPayments(home, ["serve", ...port, "--json", ...argv], variables);
  let log = "";
  child.stderr?.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  onTestFinished(async () => kill("SIGKILL"));
  if (!child.stdout) throw new Error("The service has no standard output.");
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { url: string };
    return { url, pid: child.pid, log: () => log, kill };
  }
  throw new Error(`The service ended before it listened: ${log}`);
}

/** Creates a key in the service's own database, which it begins where there is none. */
export async function createKey(home: string, mode: "test" | "live" = "test") {
  const database = findOwnDatabase(home);
  await migrateDatabase(database);
  const { service, close } = await openBoundService({ database });
  return await service.createKey({ mode, name: "e2e" }).finally(close);
}

/** The database of a service that is started in a home. */
export function findOwnDatabase(home: string): string {
  const file = join(home, ".local/share/payments/payments.db");
  return databaseOfHome(home).PAYMENTS_DATABASE ?? `sqlite:${file}`;
}
