import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import {
  accountWith,
  endpointWith,
  eventWith,
  newSecret,
  paymentWith,
  requestWith,
  webhookTestWith,
} from "../../testkit/api-objects.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { openUntilFileEnds } from "../../testkit/open-until-file-ends.ts";
import { createTemporaryHome, someKeys } from "../../testkit/temporary.ts";
import { commands } from "../../testkit/command/built-commands.ts";
import {
  endpointId,
  eventId,
  requestId,
  sendingCommands,
} from "../../testkit/command/sending-commands.ts";
import { hasTerminals, runInTerminal, noTerminals } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  runInNewProcess,
  runPayments,
  type RunOptions,
} from "../../testkit/command/run-payments.ts";

const payment = paymentWith();
const answer = json(200, payment);
const list = { object: "list", url: "/v1/payments", data: [], has_more: false };
const endpoint = endpointWith({ secret: newSecret() });
const recovery = { object: "recovery", queued: 0, has_more: false };
const deleted = { id: endpointId, object: "webhook_endpoint", deleted: true };
const visa = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];

const sending = Object.entries(sendingCommands)
  .filter(([, { isDiagnosis }]) => !isDiagnosis)
  .map(([name, { args }]) => [name, args] as const);

async function run(args: string[], url: string, key: string, options: RunOptions = {}) {
  const env = { ...createServiceEnv(url, key), ...options.env };
  return await runPayments(args, { stdin: key, ...options, env });
}

test("every command with --base-url has --allow-http", () => {
  expect(withFlag("allow-http")).toEqual(withFlag("base-url"));
});

function withFlag(name: string): string[] {
  const having = commands.filter(({ flags }) => flags.some((flag) => flag.name === name));
  return having.map(({ words }) => words.join(" "));
}

describe.concurrent("a key is sent over plain HTTP", () => {
  test.each(sending)("to this machine alone: %s", async (_, args) => {
    const proxy = await scriptedServer(answer);
    const home = createTemporaryHome();
    const env = { HTTP_PROXY: proxy.url };
    expect(await run(args, "http://payments.example", someKeys.test, { home, env })).toEqual({
      stdout: "",
      stderr:
        "Error: The key would go to http://payments.example without encryption, so others could read it. Nothing was sent.\n" +
        "  hint: Use https://, or on this machine http://127.0.0.1; --allow-http sends it anyway.\n",
      exitCode: 4,
    });
    expect(proxy.requests).toEqual([]);
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    "http://127.0.0.1.evil.example",
    String.raw`http://evil.example\@127.0.0.1`,
    "http://10.0.0.1",
  ])("and not to %s", async (address) => {
    const server = await scriptedServer(answer);
    const { port } = new URL(server.url);
    // The host name decides, not the port: some of these names resolve to this machine.
    const url = address.replace(/(?=\\|$)/, `:${port}`);
    const env = { HTTP_PROXY: server.url };
    const ran = await run(["get", payment.id, "--json"], url, someKeys.test, { env });
    expect(ran.exitCode).toBe(4);
    expect(parseError(ran)).toMatchObject({
      code: "key",
      message: expect.stringMatching(/without encryption.*Nothing was sent/) as unknown,
    });
    expect(server.requests).toEqual([]);
  });

  test.each(["127.0.0.1", "api.localhost"])("to %s, past any proxy", async (name) => {
    const [server, proxy] = [await scriptedServer(answer), await scriptedServer()];
    const url = `http://${name}:${new URL(server.url).port}`;
    const env = { HTTP_PROXY: proxy.url };
    const ran = await run(["get", payment.id, "--json"], url, someKeys.live, { env: { ...env } });
    expect(ran.exitCode).toBe(4); // it has arrived: what answers a live key is a test payment
    expect(parseError(ran)["code"]).toBe("mode_mismatch");
    expect([server, proxy].map(({ requests }) => requests.length)).toEqual([1, 0]);
  });

  test("anywhere with --allow-http", async () => {
    const proxy = await scriptedServer(answer);
    const env = { HTTP_PROXY: proxy.url };
    const args = ["get", payment.id, "--json", "--allow-http"];
    const ran = await run(args, "http://payments.example", someKeys.test, { env });
    expect(parsePayment(ran)).toEqual(payment);
  });

  test("anywhere if the command sends no key", async () => {
    const url = "http://payments.example";
    const [dry, offline] = await Promise.all([
      run(["create", ...visa, "--dry-run"], url, someKeys.live),
      run(["whoami", "--offline"], url, someKeys.live),
    ]);
    expect([dry, offline]).toMatchObject([
      { stderr: "", exitCode: 0 },
      { stderr: "", exitCode: 0 },
    ]);
  });

  test("or the command fails before any prompt", async ({ skip }) => {
    skip(!hasTerminals, noTerminals);
    const env = createServiceEnv("http://payments.example");
    const creating = runInTerminal(["create"], { env });
    expect(await creating.exitCode).toBe(4);
    expect(creating.screen()).not.toContain("Amount");
    const loggingIn = runInTerminal(["login", "--base-url", "http://payments.example"]);
    expect(await loggingIn.exitCode).toBe(4);
    expect(loggingIn.screen()).not.toContain("API key");
  });
});

const certificate = fileURLToPath(
  new URL("../../service/database/tls/server-certificate.pem", import.meta.url),
);
const certificateKey = fileURLToPath(
  new URL("../../service/database/tls/server-key.pem", import.meta.url),
);

const responseTo = (name: string) => sendingCommands[name]?.response ?? {};

/** A service with a self-signed certificate. */
let url = "";
const connected: string[] = [];
beforeAll(async () => {
  const tls = { cert: readFileSync(certificate), key: readFileSync(certificateKey) };
  const server = createServer(tls, (request, response) => {
    const livemode = request.headers.authorization?.includes("_live_") ?? false;
    const path = request.url?.split("?", 1)[0] ?? "";
    const others: Record<string, object> = {
      "/v1/account": accountWith({ livemode }),
      ...(request.method === "GET" && { "/v1/payments": list }),
      "/sandbox/accounts": responseTo("sandbox account"),
      "/sandbox/clock": responseTo("sandbox clock"),
      "/sandbox/faults": responseTo(request.method === "GET" ? "sandbox faults" : "sandbox fault"),
      "/sandbox/requests": responseTo("sandbox requests"),
      "/sandbox/reset": responseTo("sandbox reset"),
      "/v1/reports/payments": responseTo("report"),
      [`/v1/payments/${payment.id}/history`]: responseTo("explain"),
      "/v1/requests": list,
      [`/v1/requests/${requestId}`]: requestWith(),
      "/v1/events": list,
      [`/v1/events/${eventId}`]: eventWith(),
      [`/v1/events/${eventId}/resend`]: list,
      "/v1/webhook_endpoints": request.method === "GET" ? list : endpoint,
      [`/v1/webhook_endpoints/${endpointId}`]: request.method === "DELETE" ? deleted : endpoint,
      [`/v1/webhook_endpoints/${endpointId}/deliveries`]: list,
      [`/v1/webhook_endpoints/${endpointId}/recover`]: recovery,
      [`/v1/webhook_endpoints/${endpointId}/roll`]: endpoint,
      [`/v1/webhook_endpoints/${endpointId}/test`]: webhookTestWith(),
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(others[path] ?? { ...payment, livemode }));
  });
  server.on("secureConnection", () => connected.push("one"));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  openUntilFileEnds(() => {
    server.close();
    server.closeAllConnections();
  });
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

describe.concurrent("live events are forwarded over plain HTTP", () => {
  const listen = ["listen", "--forward-to", "http://192.0.2.2:3000/hooks"];

  test.each([
    ["a service", { baseUrl: "http://127.0.0.1:1" }],
    ["the embedded service", { baseUrl: "embedded" }],
  ])("to no other machine, from %s", async (_, { baseUrl }) => {
    const home = createTemporaryHome();
    const env = { PAYMENTS_BASE_URL: baseUrl, PAYMENTS_MODE: "live" };
    const key = baseUrl === "embedded" ? {} : { PAYMENTS_API_KEY: someKeys.live };
    const ran = await runPayments([...listen, "--json"], { home, env: { ...env, ...key } });
    expect([ran.exitCode, ran.stdout]).toEqual([2, ""]);
    expect(parseError(ran)["message"]).toMatch(/live events over plain HTTP.*Nothing was sent/);
    expect(readdirSync(home)).toEqual([]);
  });

  test("with --allow-http, and test events without", async () => {
    for (const [key, flags] of [
      [someKeys.live, ["--allow-http"]],
      [someKeys.test, []],
    ] as const) {
      const server = await scriptedServer(json(401, {}));
      const ran = await run([...listen, ...flags, "--json"], server.url, key);
      expect(ran.exitCode).toBe(4); // it got as far as asking the service
      expect(server.requests).toHaveLength(1);
    }
  });
});

const unchecked = { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } };
const warning =
  "Warning: NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates: others on the network could read the key and the cards. Unset it; a certificate authority of your own is trusted where NODE_EXTRA_CA_CERTS names its file.\n";

describe("with NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  // The control of a sandbox takes test keys alone, and `reconcile` compares test payments here.
  const takingLiveKeys = sending.filter(([name]) => !/^(?:sandbox |reconcile$)/.test(name));
  test.each(takingLiveKeys)(
    "a live key is refused before anything is sent: %s",
    async (_, args) => {
      const before = connected.length;
      const home = createTemporaryHome();
      expect(await run(args, url, someKeys.live, { home, ...unchecked })).toEqual({
        stdout: "",
        stderr:
          `Error: NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates: a live key could go to anyone who answers for ${url}. Nothing was sent.\n` +
          "  hint: Unset it; a certificate authority of your own is trusted where NODE_EXTRA_CA_CERTS names its file.\n",
        exitCode: 4,
      });
      expect(connected).toHaveLength(before);
      expect(readdirSync(home)).toEqual([]);
    },
  );

  const ending = sending.filter(([name]) => name !== "logs tail");
  // The page has no form here, and the receiver no secret.
  const incomplete = new Set(["pay", "webhooks check"]);
  test.each(ending)("%s warns once in test mode", async (name, args) => {
    const ran = await run([...args, "--max-retries", "0"], url, someKeys.test, unchecked);
    expect(ran.exitCode).toBe(incomplete.has(name) ? 2 : 0);
    expect(ran.stderr.split("Warning:")).toHaveLength(2);
    expect(ran.stderr).toContain(warning);
  });

  test.each(["json", "ndjson"])(
    "no warning is printed beside %s, not even Node's own",
    async (format) => {
      const env = { ...createServiceEnv(url), ...unchecked.env };
      const ran = await runInNewProcess(["get", payment.id, "-o", format], { env });
      expect(parsePayment(ran)).toEqual(payment);
    },
  );

  test("a terminal shows the warning beside JSON too", async ({ skip }) => {
    skip(!hasTerminals, noTerminals);
    const env = { ...createServiceEnv(url), ...unchecked.env };
    const terminal = runInTerminal(["get", payment.id, "--json"], { env });
    await terminal.appears("Warning:");
    await terminal.appears("NODE_TLS_REJECT_UNAUTHORIZED=0");
    expect(await terminal.exitCode).toBe(0);
  });

  test("no warning is printed if no key is sent", async () => {
    const embedded = { PAYMENTS_API_KEY: undefined, PAYMENTS_BASE_URL: undefined };
    const env = { ...unchecked.env, ...embedded };
    const runs = await Promise.all([
      runPayments(["create", ...visa, "--mode", "live", "-o", "csv"], { env }),
      runPayments(["mode"], { env }),
      run(["whoami", "--offline"], url, someKeys.live, unchecked),
      run(["create", ...visa, "--dry-run"], url, someKeys.live, unchecked),
    ]);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(runs.map(({ stderr }) => stderr).join("")).not.toContain("NODE_TLS");
  });
});

test.each(["1", "", "false"])(
  "with NODE_TLS_REJECT_UNAUTHORIZED=%j certificates are checked, and no warning is printed",
  async (value) => {
    const args = ["get", payment.id, "--max-retries", "0"];
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: value };
    const ran = await run(args, url, someKeys.live, { env });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain(
      "self-signed certificate; NODE_EXTRA_CA_CERTS names a file of authorities to trust.\n",
    );
    expect(ran.stderr).not.toContain("NODE_TLS");
  },
);

test("a certificate that NODE_EXTRA_CA_CERTS names is trusted, as the hint says", async () => {
  const env = { NODE_EXTRA_CA_CERTS: certificate };
  const ran = await run(["get", payment.id, "--json"], url, someKeys.live, { env });
  expect(parsePayment(ran)).toMatchObject({ id: payment.id, livemode: true });
});

test("a command goes through the proxy that HTTP_PROXY names", async () => {
  const proxy = await scriptedServer(json(200, payment));
  const env = { ...createServiceEnv("http://payments.invalid"), HTTP_PROXY: proxy.url };
  const ran = await runPayments(["get", payment.id, "--json", "--allow-http"], { env });
  expect(parsePayment(ran)).toEqual(payment);
  expect(proxy.requests.map(({ path }) => path)).toEqual([
    `http://payments.invalid/v1/payments/${payment.id}`,
  ]);
});

test("a command exits with 9 if the proxy is no valid address", async () => {
  const env = {
    ...createServiceEnv("https://payments.invalid"),
    HTTPS_PROXY: "http://user:secret@:x",
  };
  const ran = await runPayments(["get", payment.id], { env });
  expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
  expect(ran.stderr).toBe("Error: HTTPS_PROXY is not the address of a proxy.\n");
});
