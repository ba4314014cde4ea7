import { expect, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { startService } from "../../../src/service/run/start-service.ts";
import { bodyWith } from "../../contract/create-payment-body.ts";
import { secret, startExampleAdapter } from "../network/example-adapter.ts";

async function open(settings: Partial<Parameters<typeof startService>[0]> = {}) {
  const lines: [level: string, fields: object, message: string][] = [];
  const level = (name: string) => (fields: object, message: string) =>
    void lines.push([name, fields, message]);
  const log = { info: level("info"), error: level("error") };
  const service = await startService({ log, ...settings });
  onTestFinished(service.close);
  const post = async (mode: "test" | "live", path: string, body: object = {}) => {
    const headers = {
      authorization: `Bearer ${service.keys[mode]}`,
      "content-type": "application/json",
    };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${service.url}/v1/payments${path}`, init);
    return { status: answer.status, body: (await answer.json()) as Payment };
  };
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  return { post, metrics, lines };
}

const counted = "payments_network_request_duration_seconds_count";

test("live payments of a service that is attached to a network go there, test payments do not", async () => {
  const { post, metrics } = await open({ network: { url: await startExampleAdapter(), secret } });
  expect((await post("test", "", bodyWith({}))).body).toMatchObject({ card: { country: "US" } });
  expect(await metrics()).not.toContain(counted);
  const live = await post("live", "", bodyWith({}));
  expect(live).toMatchObject({ status: 201, body: { status: "succeeded" } });
  expect((await post("live", `/${live.body.id}/refund`)).body).toMatchObject({
    status: "refunded",
  });
  const text = await metrics();
  for (const line of [
    `${counted}{operation="charge",outcome="approved"} 1`,
    `${counted}{operation="refund",outcome="refunded"} 1`,
    'payments_transitions_total{mode="live",status="succeeded",decline_code="none"} 1',
    'payments_transitions_total{mode="live",status="refunded",decline_code="none"} 1',
    "payments_charges_undecided 0",
    "payments_network_breaker_open 0",
  ])
    expect(text).toContain(`${line}\n`);
});

test("a network that refuses the secret is told loudly, and what it was asked is not decided", async () => {
  const network = { url: await startExampleAdapter(), secret: "another" };
  const { post, metrics, lines } = await open({ network });
  const live = await post("live", "", bodyWith({}));
  expect(live).toMatchObject({ status: 201, body: { status: "pending" } });
  const text = await metrics();
  expect(text).toMatch(/^payments_network_secret_refused_total [1-9]/m);
  expect(text).toMatch(/^payments_charges_undecided 1$/m);
  expect(lines).toContainEqual([
    "error",
    expect.objectContaining({ operation: "charge", payment_id: live.body.id }),
    "the card network refuses the secret",
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/4242|another/);
});

test("a network that cannot be reached is left alone but for one request a second, and that is told", async () => {
  const { post, metrics, lines } = await open({ network: { url: "http://127.0.0.1:1", secret } });
  const answers = Array.from({ length: 30 }, async () => post("live", "", bodyWith({})));
  await Promise.all(answers);
  await expect.poll(async () => (await post("live", "", bodyWith({}))).status).toBe(503);
  const text = await metrics();
  expect(text).toContain("payments_network_breaker_open 1\n");
  expect(text).toMatch(/^payments_network_turned_away_total\{reason="breaker_open"\} [1-9]/m);
  expect(lines.map(([, , message]) => message)).toContain(
    "the card network fails: one request a second is let through",
  );
  expect((await post("test", "", bodyWith({}))).status).toBe(201); // which notices nothing
});
