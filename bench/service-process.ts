import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export const command = new URL("../bin/run.js", import.meta.url).pathname;

export type Running = { url: string; metricsUrl?: string | undefined; child: ChildProcess };

/**
 * `payments serve` in a process of its own, as it is installed, with a key of its own; `program` may be another build.
 */
export async function startPayments(
  database: string,
  flags: string[] = [],
  nodeFlags: string[] = [],
  openFiles?: number,
  program = command,
): Promise<Running & { key: string }> {
  const run = (...argv: string[]) =>
    execFileSync(process.execPath, [program, ...argv, "--database", database, "--json"], {
      encoding: "utf8",
    });
  run("migrate");
  const created = run("keys", "create", "--mode", "test", "--name", "bench");
  const { key } = JSON.parse(created) as { key: string };
  const serve = ["serve", "--port", "0", "--json", "--database", database];
  const running = await start([...nodeFlags, program, ...serve, ...flags], openFiles);
  return { ...running, key };
}

/** A process that prints a line of JSON with its address once it listens; `openFiles` limits its descriptors. */
export async function start(argv: string[], openFiles?: number): Promise<Running> {
  const limit = openFiles === undefined ? ":" : `ulimit -n ${openFiles}`;
  const line = ["-c", `${limit} && exec "$@"`, "sh", process.execPath, ...argv];
  const child = spawn("sh", line, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const first of createInterface({ input: child.stdout })) {
    const { url, metrics_url: metricsUrl } = JSON.parse(first) as {
      url: string;
      metrics_url?: string;
    };
    return { url, metricsUrl, child };
  }
  throw new Error("The process ended before it listened.");
}

export async function stop({ child }: Running): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** An app in a process of its own, which reads its task as JSON. */
export async function startBare(
  script: string,
  input: object,
  nodeFlags: string[] = [],
): Promise<Running> {
  const argv = [...nodeFlags, new URL(script, import.meta.url).pathname];
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(input));
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: (JSON.parse(line) as { url: string }).url, child };
  }
  throw new Error("The bare app ended before it listened.");
}
