import { describe, expect, test, vi } from "vitest";
import { PaymentsClient } from "../../../src/client/index.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { makeKey } from "../../testkit/command/prepare-home.ts";
import { createServiceEnv, parseError, runPayments } from "../../testkit/command/run-payments.ts";
import { servePayments } from "../../testkit/command/running-commands.ts";
import { secret, startExampleAdapter } from "../../testkit/documented-examples.ts";
import { secretKey, startStripeStandIn } from "../../testkit/network/stripe-stand-in.ts";

describe.concurrent("payments serve", () => {
  test("says that it listens on all interfaces with --host 0.0.0.0, and refuses requests of a key beyond --rate-limit", async () => {
    const home = createTemporaryHome();
    const args = ["--host", "0.0.0.0", "--rate-limit", "1", "--json"];
    const serving = await servePayments(args, { home });
    expect(JSON.parse(serving.line)).toMatchObject({
      all_interfaces: true,
      url: expect.stringContaining("http://127.0.0.1:") as unknown,
    });
    expect((await fetch(`${serving.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${serving.url}/dashboard/sign-in`)).status).toBe(404);
    const headers = { authorization: `Bearer ${(await makeKey(home)).key}` };
    const list = async () => (await fetch(`${serving.url}/v1/payments`, { headers })).status;
    const listAtOnce = async () => Promise.all(Array.from({ length: 10 }, list));
    await vi.waitFor(async () => expect(await listAtOnce()).toContain(429), { timeout: 120_000 });
    expect((await serving.end("SIGTERM")).stderr).toContain('"all_interfaces":true');
  });

  test("says that it listens on all interfaces with --host ::, in words", async () => {
    const serving = await servePayments(["--host", "::", "--log-level", "silent"]);
    expect(serving.url).toContain("http://[::1]:");
    expect(serving.line).toBe(`Listening on ${serving.url} (all interfaces)`);
    expect((await fetch(`${serving.url}/healthz`)).status).toBe(200);
    await serving.end("SIGTERM");
  });

  test("listens only on ::1 if --host names it, and --dashboard serves the dashboard", async () => {
    const serving = await servePayments(["--host", "::1", "--json", "--dashboard"]);
    expect(JSON.parse(serving.line)).not.toHaveProperty("all_interfaces");
    expect((await fetch(`${serving.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${serving.url}/dashboard/sign-in`)).status).toBe(200);
    await serving.end("SIGTERM");
  });

  test("expires payment pages after --hpp-expiry, links them and its documentation under --public-url, and PAYMENTS_DASHBOARD serves the dashboard", async () => {
    const home = createTemporaryHome();
    const args = ["--public-url", "https://payments.example.com/", "--hpp-expiry", "200ms"];
    const env = { PAYMENTS_DASHBOARD: "1" };
    const serving = await servePayments(args, { home, env });
    expect((await fetch(`${serving.url}/dashboard/sign-in`)).status).toBe(200);
    const { key } = await makeKey(home);
    const client = new PaymentsClient({ baseUrl: serving.url, apiKey: key });
    const created = await client.payments.createHosted({ amount: 4999, currency: "eur" });
    expect(created.redirect_url).toMatch(
      /^https:\/\/payments\.example\.com\/pay\/[0-9A-Za-z]{32}$/,
    );
    expect(await client.payments.settled(created)).toMatchObject({ decline_code: "hpp_expired" });
    await client.close();
    const remote = createServiceEnv(serving.url, key);
    const ran = await runPayments(["get", "pay_0", "--json"], { env: remote });
    expect(parseError(ran)["doc_url"]).toBe(
      "https://payments.example.com/docs/errors#resource_missing",
    );
    expect((await serving.end("SIGTERM")).stderr).not.toContain(created.redirect_url?.slice(-32));
  });
});

test.concurrent("payments serve does not start on a database that cannot be used: exit 9", async () => {
  const args = ["serve", "--port", "0", "--database", "sqlite:/dev/null/p.db", "--json"];
  const ran = await runPayments(args);
  expect(ran.exitCode).toBe(9);
  expect(parseError(ran)["message"]).toContain("/dev/null/p.db");
});

const card = ["--card-file", "-"];
const typed = JSON.stringify({
  number: "4242424242424242",
  exp_month: 12,
  exp_year: 2040,
  cvc: "123",
});
const create = ["create", "--amount", "4999", "--currency", "eur", ...card, "--json"];

const stripeVariables = async () => ({
  PAYMENTS_NETWORK: "stripe",
  PAYMENTS_STRIPE_SECRET_KEY: secretKey,
  PAYMENTS_STRIPE_BASE_URL: (await startStripeStandIn()).url,
});

describe("payments serve --network", () => {
  test.each([
    [
      "an adapter",
      async () => ({
        PAYMENTS_NETWORK: await startExampleAdapter(),
        PAYMENTS_NETWORK_SECRET: secret,
      }),
    ],
    ["Stripe", stripeVariables],
  ])("charges and refunds live payments over %s", async (_, variables) => {
    const home = createTemporaryHome();
    const env = await variables();
    const serving = await servePayments(["--log-level", "info"], { home, env });
    const caller = {
      env: createServiceEnv(serving.url, (await makeKey(home, "live")).key),
      stdin: typed,
    };
    const created = await runPayments(create, caller);
    const payment = JSON.parse(created.stdout) as { id: string; status: string };
    expect(payment.status).toBe("succeeded");
    const refund = await runPayments(["refund", payment.id, "--yes", "--json"], caller);
    expect(JSON.parse(refund.stdout)).toMatchObject({ id: payment.id, status: "refunded" });
    const { stderr } = await serving.end("SIGTERM");
    expect(stderr).toContain("live payments move money");
    expect(stderr).not.toMatch(/4242424242424242|sk_test_|the adapter's secret/);
  });

  test("without a network of its own tells of what is undecided at the one before", async () => {
    const home = createTemporaryHome();
    const before = { PAYMENTS_NETWORK: "http://127.0.0.1:1", PAYMENTS_NETWORK_SECRET: secret };
    const first = await servePayments([], { home, env: before });
    const caller = {
      env: createServiceEnv(first.url, (await makeKey(home, "live")).key),
      stdin: typed,
    };
    const created = await runPayments(create, caller);
    expect(JSON.parse(created.stdout)).toMatchObject({ status: "pending" });
    expect((await first.end("SIGTERM")).stderr).not.toContain("charges wait");

    const serving = await servePayments([], { home });
    const metrics = await (await fetch(`${serving.url}/metrics`)).text();
    expect(metrics).toContain("payments_charges_undecided_elsewhere 1\n");
    const { stderr } = await serving.end("SIGTERM");
    const line = stderr.split("\n").find((each) => each.includes("charges wait")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ charges: 1, network: before.PAYMENTS_NETWORK });
  });
});
