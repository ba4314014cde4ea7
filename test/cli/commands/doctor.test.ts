import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { DoctorCheck, DoctorReport } from "../../../src/contract/doctor.ts";
import { accountWith } from "../../testkit/api-objects.ts";
import { json, refusal, scriptedServer, text } from "../../testkit/client/scripted-server.ts";
import { migrateDatabase } from "../../../src/service/server/migrate-database.ts";
import {
  type RunOptions,
  createServiceEnv,
  getSharedProgram,
  isRoot,
  outsider,
  runPayments,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome, someKeys, temporaryFile } from "../../testkit/temporary.ts";
import { newCertificate, serveOverTls } from "../../testkit/sockets/certificates.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";
import { listening } from "../../testkit/client/running-service.ts";

// The finding of each check, and its remedy. The checks of machines and databases have tests of their own.

const doctorReport: z.ZodType<DoctorReport> = z.strictObject({
  object: z.literal("doctor"),
  ok: z.int(),
  warned: z.int(),
  failed: z.int(),
  checks: z.array(
    z.strictObject({
      group: z.enum(["machine", "service", "database", "network"]),
      name: z.string(),
      status: z.enum(["ok", "warn", "fail"]),
      detail: z.string(),
      help: z.string().nullable(),
    }),
  ),
});

/** Runs the doctor, and returns its checks by name; no secret may be shown. */
async function examine(
  env: NonNullable<RunOptions["env"]>,
  args: string[] = [],
  options: RunOptions = {},
) {
  const ran = await runPayments(["doctor", "--json", ...args], { ...options, env });
  const report = doctorReport.parse(JSON.parse(ran.stdout));
  expect(JSON.stringify(ran)).not.toMatch(/svc_(?:test|live)_sk_\w/);
  const byName: Record<string, DoctorCheck> = {};
  for (const check of report.checks) byName[check.name] = check;
  return { ...ran, report, byName };
}

/** As on a server: a database is named, and a service may run on this port. */
async function examineMachine(port: string, env: NonNullable<RunOptions["env"]> = {}) {
  const file = temporaryFile();
  await migrateDatabase(`sqlite:${file}`);
  return await examine({ PAYMENTS_DATABASE: `sqlite:${file}`, PAYMENTS_PORT: port, ...env });
}

const requestId = { "service-request-id": "req_1" };
const accepted = json(200, accountWith(), { ...requestId, "service-version": "2026-11-01" });

describe("payments doctor, where all is well,", () => {
  test("passes every check of a service and its database, and exits with 0", async () => {
    const file = temporaryFile();
    const { url, key } = await listening({ database: `sqlite:${file}` });
    const env = createServiceEnv(url, key);
    const args = ["--database", `sqlite:${file}`];
    const { report, byName, ...ran } = await examine(env, args);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(report).toMatchObject({ failed: 0, warned: 0, ok: report.checks.length });
    expect(Object.keys(byName).join(" ")).toBe(
      "node keyring files proxy clock service key version mode account database writable disk log schema settlements charges webhooks endpoints",
    );
    const inWords = await runPayments(["doctor", ...args], { env });
    expect(inWords).toMatchObject({ exitCode: 0, stderr: "" });
    expect(inWords.stdout).toMatch(/^This machine\n {2}ok {4}node: Node 2/);
    expect(inWords.stdout).toContain(`\nThe service\n  ok    service: ${url} answers within `);
  });

  test("finds the service of this machine by its variables, with its probes on another port, too", async () => {
    const { url, metricsUrl = "" } = await listening({ metricsPort: 0 });
    const [port, probes] = [url, metricsUrl].map((each) => new URL(each).port);
    const byProbes = await examineMachine(port ?? "", { PAYMENTS_METRICS_PORT: probes });
    expect(byProbes.byName["service"]).toMatchObject({
      status: "ok",
      detail: `A service is ready at ${metricsUrl}.`,
    });
    const { byName, exitCode } = await examineMachine(port ?? "");
    expect([byName["service"]?.status, exitCode]).toEqual(["ok", 0]);
  });

  test("in a new home uses the embedded service, and makes nothing", async () => {
    const home = createTemporaryHome();
    const { exitCode, report } = await examine({}, [], { home });
    expect([exitCode, report.failed, report.warned]).toEqual([0, 0, 0]);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("payments doctor fails, and names what helps,", () => {
  test("where no service answers: payments serve; exit 9", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { byName, exitCode, stderr } = await examine(createServiceEnv(url));
    expect(exitCode).toBe(9);
    const help = `payments serve --port ${port}`;
    expect(byName["service"]).toMatchObject({ status: "fail", help });
    expect(byName["clock"]).toBeUndefined();
    expect(stderr).toContain("Neither a service nor a database can be reached.");
  });

  test("where no service answers, but a database does: exit 1", async () => {
    const file = temporaryFile();
    await listening({ database: `sqlite:${file}` });
    const url = `http://127.0.0.1:${await freePort()}`;
    const { exitCode } = await examine(createServiceEnv(url), ["--database", `sqlite:${file}`]);
    expect(exitCode).toBe(1);
  });

  test("where neither the named database nor a service of this machine is there: exit 9", async () => {
    const env = { PAYMENTS_DATABASE: "sqlite:none.db", PAYMENTS_PORT: String(await freePort()) };
    const { byName, exitCode } = await examine(env);
    expect(exitCode).toBe(9);
    expect([byName["service"]?.status, byName["database"]?.status]).toEqual(["warn", "fail"]);
  });

  test("where something else answers: another base URL", async () => {
    const { url } = await scriptedServer(text(200, "<h1>Something else</h1>"));
    const { byName, exitCode } = await examine(createServiceEnv(url));
    expect(exitCode).toBe(9);
    expect(byName["service"]).toMatchObject({ help: "payments login --base-url URL" });
  });

  test("where the base URL is the port of metrics and probes: another one; the key is not called good", async () => {
    const { url, metricsUrl = "", key } = await listening({ metricsPort: 0 });
    const { byName, exitCode } = await examine(createServiceEnv(metricsUrl, key));
    expect(exitCode).toBe(9);
    expect(byName["service"]).toMatchObject({
      status: "fail",
      detail: `${metricsUrl} is a payments service's, but without its API: There is no such path on this port. It has /healthz, /readyz, /metrics; the API is on port ${new URL(url).port}.`,
      help: "payments login --base-url URL",
    });
    expect([byName["key"], byName["version"]]).toEqual([undefined, undefined]);
  });

  test("where the base URL has a path that the service lacks: another one", async () => {
    const { url, key } = await listening();
    const { byName, exitCode } = await examine(createServiceEnv(`${url}/api`, key));
    expect(exitCode).toBe(9);
    expect(byName["service"]?.detail).toMatch(/without its API: There is no such path\./);
    expect(byName["key"]).toBeUndefined();
  });

  test("where a service on this machine is not ready: payments health", async () => {
    const unready = json(503, { status: "unready", reason: "store_unreachable" });
    const { url } = await scriptedServer(unready);
    const { byName, exitCode } = await examineMachine(new URL(url).port);
    expect(exitCode).toBe(1);
    expect(byName["ready"]).toMatchObject({ status: "fail", help: `payments health ${url}` });
  });

  test("where PAYMENTS_PORT is no port: the settings", async () => {
    const { byName, exitCode } = await examineMachine("tcp://10.0.0.1:8402");
    expect(exitCode).toBe(1);
    expect(byName["settings"]?.help).toContain("enableServiceLinks");
  });

  test("where the service answers 503: payments health", async () => {
    const { url } = await scriptedServer(refusal(503, "service_unavailable", requestId));
    const { byName, exitCode } = await examine(createServiceEnv(url));
    expect(exitCode).toBe(1); // it was reached
    expect(byName["service"]?.status).toBe("ok");
    expect(byName["ready"]).toMatchObject({
      status: "fail",
      detail: "The service answers HTTP 503, service_unavailable.",
      help: `payments health ${url}`,
    });
  });

  const authority = newCertificate("authority.example", { isAuthority: true });
  const trust = "export NODE_EXTRA_CA_CERTS=FILE";
  test.each([
    ["has expired", "has expired", "localhost", { days: -1 }, "certbot renew"],
    ["is self-signed", "is not trusted: it is self-signed", "localhost", {}, trust],
    [
      "is of an unknown issuer",
      "this machine does not know who issued it",
      "localhost",
      { issuer: authority },
      trust,
    ],
    [
      "has an unknown issuer beside it",
      "its issuer is a private authority",
      "localhost",
      { issuer: authority, isWhole: true },
      trust,
    ],
  ])("where the certificate %s; nothing is sent", async (_, said, name, made, help) => {
    let requests = 0;
    const port = await serveOverTls(newCertificate(name, made), () => requests++);
    const { byName, exitCode } = await examine(createServiceEnv(`https://localhost:${port}`));
    expect(exitCode).toBe(9);
    expect(byName["certificate"]).toMatchObject({ status: "fail", help });
    expect(byName["certificate"]?.detail).toContain(said);
    expect(byName["certificate"]?.detail).not.toMatch(/[A-Z]+_[A-Z]+/);
    expect([byName["service"], requests]).toEqual([undefined, 0]);
  });

  test("where a trusted certificate is for another name: another base URL", async () => {
    const made = newCertificate("payments.example");
    const port = await serveOverTls(made, () => {});
    const authorities = join(createTemporaryHome(), "authorities.pem");
    writeFileSync(authorities, made.certificate);
    const env = createServiceEnv(`https://localhost:${port}`);
    const { byName } = await examine({ ...env, NODE_EXTRA_CA_CERTS: authorities });
    expect(byName["certificate"]).toMatchObject({
      detail: `The certificate of localhost:${port} is not trusted: it is not for localhost, but for payments.example.`,
      help: "payments login --base-url URL",
    });
  });

  test("where the key is unknown or revoked: payments login", async () => {
    const { url, service } = await listening();
    const key = await service.createKey({ mode: "test", name: "ci" });
    expect((await examine(createServiceEnv(url, key.key))).exitCode).toBe(0);
    await service.revokeKey(key);
    for (const refused of [key.key, someKeys.test]) {
      const { byName, exitCode } = await examine(createServiceEnv(url, refused));
      expect(exitCode).toBe(1);
      expect(byName["key"]).toMatchObject({
        status: "fail",
        help: `payments login --base-url ${url}`,
      });
      expect(byName["account"]).toBeUndefined();
    }
  });

  test("where there is no key, or a malformed one; the service is still reached", async () => {
    const { url } = await listening();
    const without = await examine({ PAYMENTS_BASE_URL: url });
    expect(without.exitCode).toBe(1);
    expect(without.byName["service"]?.status).toBe("ok");
    expect(without.byName["key"]?.help).toContain(`payments login --base-url ${url}`);
    const malformed = await examine(createServiceEnv(url, "sk_123"));
    expect(malformed.byName).toMatchObject({ service: { status: "ok" }, key: { status: "fail" } });
  });

  test("where the key is of the other mode: --mode", async () => {
    const { url, key } = await listening();
    const { byName, exitCode } = await examine(createServiceEnv(url, key), ["--mode", "live"]);
    expect(exitCode).toBe(1);
    expect(byName["key"]).toMatchObject({ help: "Use --mode test, or a live key." });
  });

  test("where the service answers a test key with live data", async () => {
    const live = json(200, accountWith({ livemode: true }), requestId);
    const { url } = await scriptedServer(live);
    const { byName, exitCode } = await examine(createServiceEnv(url));
    expect(exitCode).toBe(1);
    expect(byName["mode"]).toMatchObject({ status: "fail", help: "payments whoami" });
  });

  test("where the key would go unencrypted to another machine; it is not sent", async () => {
    const proxy = await scriptedServer(refusal(401, "invalid_api_key", requestId));
    const env = createServiceEnv("http://payments.example");
    const { byName, exitCode } = await examine({ ...env, HTTP_PROXY: proxy.url });
    expect(exitCode).toBe(1);
    expect(byName["encryption"]?.help).toContain("--allow-http");
    expect(proxy.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test("where the clock is an hour off: timedatectl", async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString();
    const { url } = await scriptedServer((response, request) => {
      response.setHeader("date", date);
      return accepted(response, request);
    });
    const { byName, exitCode } = await examine(createServiceEnv(url));
    expect(exitCode).toBe(1);
    expect(byName["clock"]).toMatchObject({ status: "fail", help: "timedatectl set-ntp true" });
    expect(byName["account"]?.status).toBe("ok");
  });

  test("where the keyring does not give a stored key, or its file is damaged: payments login", async () => {
    const { url } = await listening();
    const home = createTemporaryHome();
    const file = join(home, "login-test.json");
    const write = (content: string) => writeFileSync(file, content, { mode: 0o600 });
    write(JSON.stringify({ base_url: url, keyring: true, last4: "abcd" }));
    const lost = await examine({}, [], { home });
    expect(lost.exitCode).toBe(1);
    expect(lost.byName).toMatchObject({ service: { status: "ok" }, key: { status: "fail" } });
    expect(lost.byName["key"]?.help).toContain("payments login");
    write("{");
    const damaged = await examine({}, [], { home });
    expect(damaged.exitCode).toBe(9);
    expect(damaged.byName["settings"]?.help).toContain("payments logout");
  });

  test("where the card network's secret is missing: PAYMENTS_NETWORK_SECRET", async () => {
    const { byName, exitCode } = await examine({ PAYMENTS_NETWORK: "https://adapter.example" });
    expect(exitCode).toBe(1);
    expect(byName["network"]).toMatchObject({
      status: "fail",
      detail: "PAYMENTS_NETWORK_SECRET is not set.",
    });
  });

  test("where the home belongs to another user: PAYMENTS_HOME", async ({ skip }) => {
    skip(!isRoot, "needs root, to be another user");
    const home = createTemporaryHome();
    chmodSync(home, 0o700);
    const { byName, exitCode } = await examine({}, [], { home: join(home, "below"), ...outsider });
    expect(exitCode).toBe(9);
    expect(byName["files"]).toMatchObject({
      status: "fail",
      help: "export PAYMENTS_HOME=FOLDER",
    });
  });
});

test("a Node that is too old to start payments is told, with npm install node@24", async () => {
  const old = `Object.defineProperty(process.versions, "node", { value: "20.19.0" })`;
  const { node, launcher } = getSharedProgram(); // which has no other Node beside it
  const child = spawn(node, ["--import", `data:text/javascript,${old}`, launcher, "doctor"]);
  expect(await waitForEnd(child)).toEqual({
    stdout: "",
    stderr: `payments needs Node 24.15 or newer; this is 20.19.0, ${node}. Install a newer one, or in the project that has payments-cli: npm install node@24.\n`,
    exitCode: 9,
  });
});

test("a clone that is not built is told, with npm ci", async () => {
  const folder = createTemporaryHome();
  const { node, launcher } = getSharedProgram();
  const copied = join(folder, "run.mjs"); // above it is no dist
  copyFileSync(launcher, copied);
  expect(await waitForEnd(spawn(node, [copied, "doctor"]))).toEqual({
    stdout: "",
    stderr: "payments is not built yet. In its folder: npm ci, which also builds it.\n",
    exitCode: 9,
  });
});

describe("payments doctor warns, and exits with 0,", () => {
  test("where a database is named, and no service runs: payments serve", async () => {
    const port = String(await freePort());
    const { byName, exitCode } = await examineMachine(port);
    expect(exitCode).toBe(0);
    expect(byName["service"]).toMatchObject({
      status: "warn",
      detail: `No service answers at http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}. Until one runs, customers cannot pay, and webhooks wait.`,
      help: "payments serve",
    });
    const chosen = await examineMachine(port, { PAYMENTS_BASE_URL: "embedded" });
    expect(chosen.byName["service"]).toBeUndefined();
  });

  test("where something else answers in the service's place: another port", async () => {
    const { url } = await scriptedServer(text(200, "<h1>Something else</h1>"));
    const { byName, exitCode } = await examineMachine(new URL(url).port);
    expect(exitCode).toBe(0);
    expect(byName["service"]).toMatchObject({
      status: "warn",
      help: "payments serve --port PORT",
    });
  });

  test("where the certificate ends within days: certbot renew", async () => {
    const made = newCertificate("localhost", { days: 2 });
    const account = JSON.stringify(accountWith());
    const port = await serveOverTls(made, (_, response) =>
      response.writeHead(200, { ...requestId, "content-type": "application/json" }).end(account),
    );
    const authorities = join(createTemporaryHome(), "authorities.pem");
    writeFileSync(authorities, made.certificate);
    const env = createServiceEnv(`https://localhost:${port}`);
    const { byName, exitCode } = await examine({ ...env, NODE_EXTRA_CA_CERTS: authorities });
    expect(exitCode).toBe(0);
    expect(byName["certificate"]).toMatchObject({ status: "warn", help: "certbot renew" });
    expect([byName["service"]?.status, byName["account"]?.status]).toEqual(["ok", "ok"]);
  });

  test("where certificates are not checked; in live mode that fails, and no key is sent", async () => {
    const { url, requests } = await scriptedServer(accepted);
    const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const help = "unset NODE_TLS_REJECT_UNAUTHORIZED";
    const inTest = await examine({ ...createServiceEnv(url), ...unchecked });
    expect(inTest.exitCode).toBe(0);
    expect(inTest.byName["encryption"]).toMatchObject({ status: "warn", help });
    const inLive = await examine({ ...createServiceEnv(url, someKeys.live), ...unchecked });
    expect(inLive.exitCode).toBe(1);
    expect(inLive.byName["encryption"]?.status).toBe("fail");
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${someKeys.test}`,
      undefined,
    ]);
  });

  test("where live payments are simulated: payments serve --network", async () => {
    const headers = { ...requestId, "service-network": "simulator" };
    const { url } = await scriptedServer(json(200, accountWith({ livemode: true }), headers));
    const { byName, exitCode } = await examine(createServiceEnv(url, someKeys.live));
    expect(exitCode).toBe(0);
    expect(byName["mode"]).toMatchObject({
      status: "warn",
      help: "payments serve --network NETWORK",
    });
  });

  test("where the service speaks a newer version of the API: update", async () => {
    const newer = { ...requestId, "service-version": "2099-01-01" };
    const { url } = await scriptedServer(json(200, accountWith(), newer));
    const { byName, exitCode } = await examine(createServiceEnv(url));
    expect(exitCode).toBe(0);
    expect(byName["version"]).toMatchObject({
      status: "warn",
      help: "npm install payments-cli@latest",
    });
  });
});

test("payments doctor prints a service's text so that a terminal is safe from it", async () => {
  const name = "Books\u001b[2J\u202e";
  const { url } = await scriptedServer(json(200, accountWith({ name }), requestId));
  const { stdout } = await runPayments(["doctor"], { env: createServiceEnv(url) });
  expect(stdout).toContain("account: Books�[2J�, acct_1.");
});
