import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { json, scriptedServer, silence, text } from "../../testkit/client/scripted-server.ts";
import { runPayments } from "../../testkit/command/run-payments.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";
import { listening } from "../../testkit/client/running-service.ts";

const quiet = { stdout: "", stderr: "", exitCode: 0 };
const ready = json(200, { status: "ready" });

describe("payments health", () => {
  test("says nothing of a service that is ready, and exits with 0", async () => {
    const { url } = await listening();
    expect(await runPayments(["health", url])).toEqual(quiet);
    expect(await runPayments(["health", `${url}/`])).toEqual(quiet);
  });

  test("asks the service that commands use, without its key", async () => {
    const { url, requests } = await scriptedServer(ready);
    const env = { PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: someKeys.live };
    expect(await runPayments(["health"], { env })).toEqual(quiet);
    const home = createTemporaryHome();
    const login = { base_url: url, key: someKeys.test };
    writeFileSync(join(home, "login-test.json"), JSON.stringify(login), { mode: 0o600 });
    expect(await runPayments(["health"], { home })).toEqual(quiet);
    expect(requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/readyz", undefined],
      ["/readyz", undefined],
    ]);
  });

  test("asks the probes of the service that serve starts with the same variables", async () => {
    const { url, requests } = await scriptedServer(ready);
    const { port } = new URL(url);
    for (const env of [
      { PAYMENTS_PORT: port },
      { PAYMENTS_PORT: "1", PAYMENTS_METRICS_PORT: port, PAYMENTS_HOST: "0.0.0.0" },
    ]) {
      expect(await runPayments(["health"], { env })).toEqual(quiet);
    }
    expect(requests).toHaveLength(2);
    const ran = await runPayments(["health"], { env: { PAYMENTS_PORT: "0" } });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain("PAYMENTS_PORT names no port on which a service could be asked.");
  });

  test("exits with 1 where the service says that it is not ready, and why, in one line", async () => {
    const body = { status: "unready", reason: "schema_outdated" };
    const { url } = await scriptedServer(json(503, body));
    expect(await runPayments(["health", url])).toEqual({
      stdout: "",
      stderr: `Error: The service at ${url} is not ready: schema_outdated.\n`,
      exitCode: 1,
    });
  });

  test.each([
    ["another service", json(200, { status: "up" })],
    ["a proxy before a service that is down", text(502, "<h1>Bad gateway</h1>")],
    ["something that answers as the service does", json(404, { error: {} })],
  ])("exits with 9 where %s answers", async (_, answer) => {
    const { url } = await scriptedServer(answer);
    const { stdout, stderr, exitCode } = await runPayments(["health", url]);
    expect([stdout, exitCode]).toEqual(["", 9]);
    expect(stderr).toMatch(/^Error: Unexpected response \(HTTP \d+\) from [^\n]*\n$/);
  });

  test("exits with 9 where the probes are on another port, and names it", async () => {
    const { url, metricsUrl = "" } = await listening({ metricsPort: 0 });
    const { port } = new URL(metricsUrl);
    expect(await runPayments(["health", url])).toEqual({
      stdout: "",
      stderr: `Error: The service at ${url} has its probes elsewhere: There is no such path on this port. Probes and metrics are on port ${port}.\n`,
      exitCode: 9,
    });
    expect(await runPayments(["health", metricsUrl])).toEqual(quiet);
  });

  test("exits with 9 where nothing answers, or not in time", async () => {
    const { url } = await scriptedServer(silence);
    for (const address of [`http://127.0.0.1:${await freePort()}`, url]) {
      const { stdout, stderr, exitCode } = await runPayments(["health", address]);
      expect([stdout, exitCode]).toEqual(["", 9]);
      expect(stderr).toMatch(/^Error: The service at \S+ cannot be reached: [^\n]*\n$/);
    }
  });

  test("exits with 2 where the address is none", async () => {
    expect(await runPayments(["health", "127.0.0.1"])).toMatchObject({ stdout: "", exitCode: 2 });
  });
});
