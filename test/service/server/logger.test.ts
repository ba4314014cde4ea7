import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { makeKey } from "../../testkit/command/prepare-home.ts";
import { servePayments } from "../../testkit/command/running-commands.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { bodyWith } from "../../testkit/api-objects.ts";
import { rawConnection } from "../../testkit/sockets/raw-sockets.ts";

const program = new URL("./write-log.ts", import.meta.url).pathname;
/** Linux refuses every write to it, as to a full disk. */
const full = "/dev/full";

function writeLog(count: number, ending: string) {
  const child = spawn(process.execPath, [program, String(count), ending], { stdio: "pipe" });
  openUntilFileEnds(() => child.kill("SIGKILL"));
  return child;
}

/** The numbers of a log's lines, without Node's own report of an error. */
function parseNumbers(output: string): number[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith('{"level":"info"'))
    .map((line) => (JSON.parse(line) as { line: number }).line);
}

describe("the log", () => {
  test.each([
    "without further work",
    "by process.exit",
    "by an uncaught error",
    "by an unhandled rejection",
  ])("is complete when the process ends %s", async (ending) => {
    const count = 1_000; // more than one buffer of lines, the last of which is not full
    const numbers = parseNumbers(await text(writeLog(count, ending).stderr));
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  test.runIf(existsSync(full))("on a full disk does not end the process", async () => {
    const stderr = openSync(full, "w");
    onTestFinished(() => closeSync(stderr));
    const child = spawn(process.execPath, [program, "1000", "by process.exit"], {
      stdio: ["ignore", "ignore", stderr],
    });
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("is written while the process runs, even if no line follows", async () => {
    const child = writeLog(3, "");
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stderr })) {
      if (lines.push(line) === 3) break;
    }
    expect(parseNumbers(lines.join("\n"))).toEqual([1, 2, 3]);
    expect(child.exitCode).toBeNull();
    child.stdin.end();
  });
});

const fault = 'new Error("a fault for 4242424242424242", { cause: new TypeError("its cause") })';

/** The environment of a Node process that runs code when it gets SIGUSR2. */
function runOnSignal(work: string): Record<string, string> {
  const script = `process.on("SIGUSR2", () => { ${work} })`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

async function refusesConnections(url: string): Promise<boolean> {
  const connection = await rawConnection(url).catch(() => undefined);
  connection?.close();
  return connection === undefined;
}

test.concurrent.each([
  ["an error", `throw ${fault}`],
  ["a rejection", `void Promise.reject(${fault})`],
])(
  "a service with an uncaught error finishes the requests in flight, logs the error in full, and exits with 1: %s",
  async (_, work) => {
    const home = createTemporaryHome();
    const { key } = await makeKey(home);
    const serving = await servePayments([], { home, env: runOnSignal(work) });
    const other = new DatabaseSync(join(home, "payments.db"));
    openUntilFileEnds(() => other.close());
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(bodyWith({})) };

    other.exec("BEGIN IMMEDIATE"); // no commit is possible until the rollback
    const created = Array.from({ length: 3 }, async () =>
      fetch(`${serving.url}/v1/payments`, init),
    );
    expect((await fetch(`${serving.url}/readyz`)).status).toBe(200); // by then, the requests have been read
    const ended = serving.end("SIGUSR2");
    await vi.waitUntil(async () => refusesConnections(serving.url), { timeout: 120_000 });
    other.exec("ROLLBACK");

    for (const answer of await Promise.all(created)) expect(answer.status).toBe(201);
    const { exitCode, signal, stderr } = await ended;
    expect({ exitCode, signal }).toEqual({ exitCode: 1, signal: null });
    const lines = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "error",
        msg: "uncaught error: the service ends",
        err: expect.objectContaining({
          type: "Error",
          message: expect.stringMatching(/^a fault for (?!4242)/) as unknown,
          stack: expect.stringContaining("at process.") as unknown,
          cause: expect.objectContaining({ type: "TypeError", message: "its cause" }) as unknown,
        }) as unknown,
      }),
    );
    const created201 = lines.filter((line) => "status" in line && line.status === 201);
    expect(created201).toHaveLength(3);
    expect(other.prepare("SELECT count(*) AS n FROM payments").get()).toEqual({ n: 3 });
  },
);
