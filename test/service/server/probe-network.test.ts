import { expect, test } from "vitest";
import { probeNetwork } from "../../../src/service/server/attach-network.ts";
import type { NetworkSettings } from "../../../src/service/server/service-settings.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { secretKey, startStripeStandIn } from "../../testkit/network/stripe-stand-in.ts";
import { freePort } from "../../testkit/sockets/tcp-proxy.ts";

const secret = "the adapter's secret";

async function examine(settings: NetworkSettings) {
  return await Array.fromAsync(probeNetwork(settings, "1.2.3"));
}

const unknown = json(404, { outcome: "unknown" });

test("an adapter that answers, and accepts the secret, passes; it is asked about one unknown charge", async () => {
  const { url, requests } = await scriptedServer(unknown);
  expect(await examine({ url, secret })).toMatchObject([
    { name: "network", status: "ok" },
    { name: "network_secret", status: "ok" },
  ]);
  expect(requests).toMatchObject([
    {
      method: "GET",
      path: expect.stringMatching(/^\/charges\/pay_[0-9a-f-]{36}$/) as string,
      headers: { authorization: `Bearer ${secret}` },
      body: "",
    },
  ]);
});

test("an adapter that is gone fails: payments network check", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  expect(await examine({ url, secret })).toMatchObject([
    { name: "network", status: "fail", help: `payments network check ${url}` },
  ]);
});

test("an adapter that breaks the protocol fails: payments network check", async () => {
  for (const answer of [json(500, {}), json(200, { outcome: "approved", reference: "1" })]) {
    const { url } = await scriptedServer(answer);
    const help = `payments network check ${url}`;
    expect(await examine({ url, secret })).toMatchObject([{ status: "fail", help }]);
  }
});

test("a secret that the adapter refuses fails: PAYMENTS_NETWORK_SECRET; it is not shown", async () => {
  const { url } = await scriptedServer(json(401, {}));
  const checks = await examine({ url, secret });
  expect(checks).toMatchObject([
    { name: "network", status: "ok" },
    { name: "network_secret", status: "fail", help: "export PAYMENTS_NETWORK_SECRET=…" },
  ]);
  expect(JSON.stringify(checks)).not.toContain(secret);
});

test("an account at Stripe passes, and no intent is made; a key that Stripe refuses fails", async () => {
  const { url: baseUrl, requests } = await startStripeStandIn();
  const passed = await examine({ stripe: { secretKey, baseUrl } });
  expect(passed.map(({ status }) => status)).toEqual(["ok", "ok"]);
  expect(requests.map(({ operation }) => operation)).toEqual(["retrieve"]);
  const refused = await examine({ stripe: { secretKey: "sk_test_other", baseUrl } });
  expect(refused).toMatchObject([
    { status: "ok" },
    { status: "fail", help: "export PAYMENTS_STRIPE_SECRET_KEY=…" },
  ]);
  expect(JSON.stringify(refused)).not.toContain("sk_test_other");
});
