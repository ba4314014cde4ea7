import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  parsePrinted,
  parsePayment,
  runPayments,
} from "../../testkit/command/run-payments.ts";
import { makeKey } from "../../testkit/command/prepare-home.ts";
import { servePayments } from "../../testkit/command/running-commands.ts";

const visa = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa", "--json"];
const { version } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as { version: string };

describe.concurrent("payments serve", () => {
  test("prints one line of JSON once it listens", async () => {
    const serving = await servePayments(["--json", "--log-level", "silent"]);
    expect(JSON.parse(serving.line)).toEqual({
      event: "listening",
      url: serving.url,
      version,
      pid: serving.pid,
    });
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${serving.url}/openapi.json`)).status).toBe(200);
    expect(await serving.end("SIGTERM")).toEqual({
      exitCode: 0,
      signal: null,
      stdout: "",
      stderr: "",
    });
  });

  test("prints the address of metrics and probes on a separate port, and ends at SIGHUP", async () => {
    const serving = await servePayments(["--json", "--metrics-port", "0"]);
    const listening = JSON.parse(serving.line) as { url: string; metrics_url: string };
    expect(listening.metrics_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${listening.metrics_url}/metrics`)).status).toBe(200);
    expect((await fetch(`${listening.url}/metrics`)).status).toBe(404);
    const { exitCode, signal, stderr } = await serving.end("SIGHUP");
    expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null });
    const logged = stderr.split("\n").find((line) => line.includes('"msg":"listening"')) ?? "";
    const { url, metrics_url } = listening;
    expect(JSON.parse(logged)).toMatchObject({ url, metrics_url });
  });

  test("accepts commands with a key created in its database, reports that it is not ready before it stops, and ignores a second signal", async () => {
    const home = createTemporaryHome();
    const serving = await servePayments(["--processing-time", "50ms"], { home });
    const env = createServiceEnv(serving.url, (await makeKey(home)).key);
    const created = parsePayment(await runPayments(visa, { env }));
    const refunded = await runPayments(["refund", created.id, "--yes", "--json"], { env });
    expect(parsePayment(refunded)).toMatchObject({ id: created.id, status: "refunded" });
    const declined = [...visa.slice(0, -2), "generic-decline", "--expect", "generic_decline"];
    expect((await runPayments(declined, { env })).exitCode).toBe(0);

    const readiness = async () => (await fetch(`${serving.url}/readyz`)).json();
    expect(await readiness()).toEqual({ status: "ready" });
    const ended = serving.end("SIGTERM");
    // The first response after the signal proves that the service has handled it.
    expect(await isListening(serving.url)).toBe(true);
    process.kill(serving.pid ?? 0, "SIGTERM");
    process.kill(serving.pid ?? 0, "SIGINT");
    expect(await isListening(serving.url)).toBe(true);
    expect(await readiness()).toEqual({ status: "unready", reason: "shutting_down" });
    const { exitCode, signal, stderr } = await ended;
    expect({ exitCode, signal }).toEqual({ exitCode: 0, signal: null });
    expect(stderr).toContain('"route":"/readyz","status":503');
    const logs = stderr.trimEnd().split("\n");
    const messages = logs.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toContain("listening");
    expect(messages).toContain("live payments go to the built-in simulator: no money moves");
    expect(messages).toContain("request");
    expect(stderr).not.toContain(env["PAYMENTS_API_KEY"]);
    expect(stderr).not.toContain("4242424242424242");
  });

  test("finishes what is in flight at SIGTERM, and with no key logs how to create one", async () => {
    const home = createTemporaryHome();
    const serving = await servePayments([], { home });
    const keys = parsePrinted(await runPayments(["keys", "list", "--json"], { home }));
    expect(keys).toEqual({ object: "list", data: [] });
    const key = (await makeKey(home)).key;
    const body = JSON.stringify({
      amount: 1,
      currency: "eur",
      card: { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" },
    });
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      expect: "100-continue",
    };
    const call = request(`${serving.url}/v1/payments`, { method: "POST", headers });
    const answer = new Promise<unknown>((resolve, reject) => {
      call.on("response", (response) => resolve(json(response)));
      call.on("error", reject);
    });
    call.write(body.slice(0, 20));
    await once(call, "continue"); // it has begun
    const ended = serving.end("SIGTERM");
    await vi.waitUntil(async () => !(await isListening(serving.url)), { timeout: 120_000 });
    call.end(body.slice(20));
    expect(await answer).toMatchObject({ object: "payment", status: "succeeded" });
    const { stderr, ...others } = await ended;
    expect(others).toMatchObject({ exitCode: 0, signal: null });
    expect(stderr).toContain("payments keys create");
  });
});

/** Whether the service still accepts requests. A probe would not do, since it reports the shutdown. */
async function isListening(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/docs/errors`).catch(() => undefined);
  return answer?.status === 200;
}
