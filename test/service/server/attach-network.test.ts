import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { startService } from "../../../src/service/server/start-service.ts";
import { bodyWith, cardWith } from "../../testkit/api-objects.ts";
import { replacePart, secret, startExampleAdapter } from "../../testkit/documented-examples.ts";
import {
  answerWith,
  secretKey,
  startStripeStandIn,
} from "../../testkit/network/stripe-stand-in.ts";
import { temporaryFile } from "../../testkit/temporary.ts";

async function open(settings: Partial<Parameters<typeof startService>[0]> = {}) {
  const lines: [level: string, fields: object, message: string][] = [];
  const level = (name: string) => (fields: object, message: string) =>
    void lines.push([name, fields, message]);
  const log = { info: level("info"), warn: level("warn"), error: level("error") };
  const service = await startService({ log, ...settings });
  let closing: Promise<void> | undefined;
  const close = async () => (closing ??= service.close());
  onTestFinished(close);
  const post = async (mode: "test" | "live", path: string, body: object = {}) => {
    const headers = {
      authorization: `Bearer ${service.keys[mode]}`,
      "content-type": "application/json",
    };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${service.url}/v1/payments${path}`, init);
    return { status: answer.status, body: (await answer.json()) as Payment };
  };
  const statusOf = async (mode: "test" | "live", { id }: Payment) => {
    const headers = { authorization: `Bearer ${service.keys[mode]}` };
    const answer = await fetch(`${service.url}/v1/payments/${id}`, { headers });
    return ((await answer.json()) as Payment).status;
  };
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  return { post, statusOf, metrics, lines, close };
}

/** An adapter that fails to charge, and never answers other requests. */
async function startSilentAdapter() {
  const adapter = createServer((request, response) => {
    if (request.url === "/charges") response.writeHead(500).end();
    else silent.requests++;
  });
  const silent = { url: "", requests: 0 };
  await new Promise<void>((resolve) => adapter.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => adapter.closeAllConnections());
  onTestFinished(() => void adapter.close());
  silent.url = `http://127.0.0.1:${(adapter.address() as AddressInfo).port}`;
  return silent;
}

const requestCount = "payments_network_request_duration_seconds_count";

test("live payments of a service with a network go there, test payments do not", async () => {
  const { post, metrics } = await open({ network: { url: await startExampleAdapter(), secret } });
  expect((await post("test", "", bodyWith({}))).body).toMatchObject({ card: { country: "US" } });
  expect(await metrics()).not.toContain(requestCount);
  const live = await post("live", "", bodyWith({}));
  expect(live).toMatchObject({ status: 201, body: { status: "succeeded" } });
  expect((await post("live", `/${live.body.id}/refund`)).body).toMatchObject({
    status: "refunded",
  });
  const text = await metrics();
  for (const line of [
    `${requestCount}{operation="charge",outcome="approved"} 1`,
    `${requestCount}{operation="refund",outcome="refunded"} 1`,
    'payments_transitions_total{mode="live",status="succeeded",decline_code="none"} 1',
    'payments_transitions_total{mode="live",status="refunded",decline_code="none"} 1',
    "payments_charges_undecided 0",
    "payments_network_breaker_open 0",
  ])
    expect(text).toContain(`${line}\n`);
});

test("a network that refuses the secret is logged as an error, and its charges stay undecided", async () => {
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

test("an answer about another charge is logged as an error, and decides no payment", async () => {
  const stripe = await startStripeStandIn();
  stripe.next("confirm", answerWith({ amount: 1 }));
  const network = { stripe: { secretKey, baseUrl: stripe.url } };
  const { post, statusOf, metrics, lines } = await open({ network });
  const live = await post("live", "", bodyWith({}));
  expect(live).toMatchObject({ status: 201, body: { status: "pending" } });
  expect(await metrics()).toMatch(/^payments_network_mismatched_total 1$/m);
  expect(lines).toContainEqual([
    "error",
    expect.objectContaining({ operation: "charge", payment_id: live.body.id }),
    "the card network answered about another charge than the one asked for",
  ]);
  await expect.poll(async () => statusOf("live", live.body)).toBe("succeeded");
});

test("a card number from a network is neither stored nor logged, but an error is logged", async () => {
  const file = temporaryFile();
  const number = "4012888888881881";
  const url = await startExampleAdapter(
    replacePart("`charge-${randomUUID()}`", "`stored-${number}`"),
  );
  const { post, lines, close } = await open({
    network: { url, secret },
    database: `sqlite:${file}`,
  });
  const live = await post("live", "", bodyWith({ card: cardWith({ number }) }));
  expect(live).toMatchObject({ status: 201, body: { status: "succeeded" } });
  expect(lines).toContainEqual([
    "error",
    expect.objectContaining({ operation: "charge", payment_id: live.body.id }),
    "the card network sent a card number, which is masked: it must not send any",
  ]);
  await close();
  expect(JSON.stringify(lines)).not.toContain(number);
  const contents = readdirSync(dirname(file)).map((name) =>
    readFileSync(join(dirname(file), name)),
  );
  expect(String(Buffer.concat(contents))).toContain("stored-…");
  expect(String(Buffer.concat(contents))).not.toContain(number);
});

test("a network that cannot be reached gets one request a second, which is logged", async () => {
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
  expect((await post("test", "", bodyWith({}))).status).toBe(201);
});

test("a network that does not answer delays neither test payments nor the shutdown", async () => {
  const adapter = await startSilentAdapter();
  const network = { url: adapter.url, secret, timeoutMs: 3_600_000 };
  const { post, statusOf, close } = await open({ network, processingTimeMs: 1 });
  const live = await post("live", "", bodyWith({}));
  await expect.poll(() => adapter.requests).toBe(1);
  const declined = await post(
    "test",
    "",
    bodyWith({ card: cardWith({ number: "4000000000000002" }) }),
  );
  await expect.poll(async () => statusOf("test", declined.body)).toBe("failed");
  expect(await statusOf("live", live.body)).toBe("pending");
  await close();
});

test("an unanswered look-up does not delay that of another charge", async () => {
  const adapter = await startSilentAdapter();
  const network = { url: adapter.url, secret, timeoutMs: 3_600_000 };
  const { post } = await open({ network, processingTimeMs: 1 });
  for (const count of [1, 2, 3]) {
    await post("live", "", bodyWith({}));
    await expect.poll(() => adapter.requests).toBe(count);
  }
});
