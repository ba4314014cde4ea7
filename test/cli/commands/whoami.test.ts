import { describe, expect, test } from "vitest";
import { runningService } from "../../testkit/client/running-service.ts";
import { holding } from "../../testkit/client/scripted-list.ts";
import { refusal, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import {
  createServiceEnv,
  parseError,
  parsePrinted,
  runPayments,
} from "../../testkit/command/run-payments.ts";

const service = runningService();

describe.concurrent("payments whoami", () => {
  test("shows the embedded service and its own key on a new home", async () => {
    const ran = await runPayments(["whoami", "--json"]);
    expect(ran.exitCode).toBe(0);
    expect(parsePrinted(ran)).toEqual({
      mode: "test",
      base_url: "embedded",
      key: { source: "embedded", last4: expect.stringMatching(/^\w{4}$/) as unknown },
      accepted: true,
      account: { id: expect.stringMatching(/^acct_/) as unknown, name: "Default" },
    });
  });

  test("prints the service, the key, and whether it is accepted", async () => {
    const ran = await runPayments(["whoami"], {
      env: createServiceEnv(service.url, service.keys.live),
    });
    expect(ran).toEqual({
      stdout: [
        "Mode      live",
        `Service   ${service.url}`,
        `Key       …${service.keys.live.slice(-4)}, from PAYMENTS_API_KEY`,
        "Account   Default",
        "Accepted  yes\n",
      ].join("\n"),
      stderr: "",
      exitCode: 0,
    });
  });

  test("exits with 4 for a rejected key, and still prints the settings", async () => {
    const env = createServiceEnv(service.url);
    const [asJson, asText] = await Promise.all([
      runPayments(["whoami", "--json"], { env }),
      runPayments(["whoami"], { env }),
    ]);
    expect(asJson.exitCode).toBe(4);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      base_url: service.url,
      accepted: false,
      account: null,
    });
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: "key" } });
    expect(asText.exitCode).toBe(4);
    expect(asText.stdout).toContain("Accepted  no\n");
    expect(asText.stderr).toMatch(/^Error: The service does not accept this key\.\n {2}hint: /);
  });

  test("sends no request with --offline", async () => {
    const server = await scriptedServer();
    const ran = await runPayments(["whoami", "--offline", "--json"], {
      env: createServiceEnv(server.url),
    });
    expect(ran.exitCode).toBe(0);
    expect(parsePrinted(ran)).toMatchObject({
      key: { source: "PAYMENTS_API_KEY", last4: someKeys.test.slice(-4) },
      accepted: null,
      account: null,
    });
    expect(server.requests).toEqual([]);
    const inWords = await runPayments(["whoami", "--offline"], { home: createTemporaryHome() });
    expect(inWords.stdout).toContain("Accepted  not checked\n");
  });

  test("shows no account of an older service without accounts", async () => {
    const noPath = refusal(404, "endpoint_not_found");
    const server = await scriptedServer(noPath, holding(0), noPath, holding(0));
    const env = createServiceEnv(server.url);
    const [asJson, asText] = [
      await runPayments(["whoami", "--json"], { env }),
      await runPayments(["whoami"], { env }),
    ];
    expect(asJson.exitCode).toBe(0);
    expect(parsePrinted(asJson)).toMatchObject({ accepted: true, account: null });
    expect(asText.stdout).toContain("Accepted  yes\n");
    expect(asText.stdout).not.toContain("Account");
  });

  test("exits with 5 at a wrong base URL, and does not call the key accepted", async () => {
    const ran = await runPayments(["whoami", "--json"], {
      env: createServiceEnv(`${service.url}/api`),
    });
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
    expect(parseError(ran)).toMatchObject({
      code: "endpoint_not_found",
      hint: expect.stringMatching(/^Check the base URL/) as unknown,
    });
  });
});
