import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { makeKey } from "../../testkit/command/make-key.ts";
import { servePayments } from "../../testkit/command/serve-payments.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { bodyWith } from "../../testkit/create-payment-body.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { rawConnection } from "../../testkit/sockets/raw-connection.ts";

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

describe.concurrent("a service with an uncaught error", () => {
  test.each([
    ["an error", `throw ${fault}`],
    ["a rejection", `void Promise.reject(${fault})`],
  ])(
    "finishes the requests in flight, logs the error in full, and exits with 1: %s",
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
});
