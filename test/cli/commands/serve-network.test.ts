import { describe, expect, test } from "vitest";
import { secret, startExampleAdapter } from "../../testkit/network/example-adapter.ts";
import { secretKey, startStripeStandIn } from "../../testkit/network/stripe-stand-in.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import { makeKey } from "../../testkit/command/make-key.ts";
import { createServiceEnv, runPayments } from "../../testkit/command/run-payments.ts";
import { servePayments } from "../../testkit/command/serve-payments.ts";

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

  test.each([
    ["Stripe", stripeVariables],
    ["the simulator", async () => ({})],
  ])("over %s tells of what is undecided at the network before", async (_, variables) => {
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

    const serving = await servePayments([], { home, env: await variables() });
    const metrics = await (await fetch(`${serving.url}/metrics`)).text();
    expect(metrics).toContain("payments_charges_undecided_elsewhere 1\n");
    const { stderr } = await serving.end("SIGTERM");
    const line = stderr.split("\n").find((each) => each.includes("charges wait")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ charges: 1, network: before.PAYMENTS_NETWORK });
  });
});
