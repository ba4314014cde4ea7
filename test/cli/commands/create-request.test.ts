import { describe, expect, test } from "vitest";
import { json, paymentWith, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import { createServiceEnv, parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

const nextYears = new Date().getUTCFullYear() + 5;
const everything = [
  ["--amount", "4999"],
  ["--currency", "EUR"],
  ["--card-number", "4242 4242 4242 4242"],
  ["--exp-month", "1"],
  ["--exp-year", String(nextYears)],
  ["--cvc", "012"],
  ["--card-holder", "A. Lovelace"],
  ["--email", "ada@example.com"],
  ["--first-name", "Ada"],
  ["--last-name", "Lovelace"],
  ["--country", "GB"],
  ["--phone", "+44 20 7946 0000"],
  ["--address", "12 St James's Square"],
  ["--city", "London"],
  ["--zip", "SW1Y 4JH"],
  ["--description", "A book – 東京"],
  ["--metadata", "order_id=1001"],
  ["--metadata", "note=a=b, c"],
].flat();
const body = {
  amount: 4999,
  currency: "eur",
  card: {
    number: "4242424242424242",
    exp_month: 1,
    exp_year: nextYears,
    cvc: "012",
    holder_name: "A. Lovelace",
  },
  customer: {
    email: "ada@example.com",
    first_name: "Ada",
    last_name: "Lovelace",
    country: "GB",
    phone: "+44 20 7946 0000",
    address: "12 St James's Square",
    city: "London",
    zip: "SW1Y 4JH",
  },
  description: "A book – 東京",
  metadata: { order_id: "1001", note: "a=b, c" },
};

describe.concurrent("the request of payments create", () => {
  test("contains every flag, the key, the version and the idempotency key", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const args = ["create", ...everything, "--json", "--base-url", `${server.url}/gateway`];
    const named = ["--idempotency-key", "order-1001", "--service-version", "2026-11-01"];
    const env = { PAYMENTS_API_KEY: someKeys.test };
    const ran = await runPayments([...args, ...named], { env });
    expect(parsePrinted(ran)).toEqual(paymentWith());

    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request).toMatchObject({
      method: "POST",
      path: "/gateway/v1/payments",
      headers: {
        authorization: `Bearer ${someKeys.test}`,
        "content-type": "application/json",
        "idempotency-key": "order-1001",
        "service-version": "2026-11-01",
      },
    });
    expect(JSON.parse(request?.body ?? "")).toEqual(body);
  });

  test("is printed by --dry-run with card and key masked, and not sent", async () => {
    const server = await scriptedServer(json(201, paymentWith()));
    const args = ["create", ...everything, "--dry-run", "--json", "--idempotency-key", "k"];
    const env = createServiceEnv(server.url);
    const ran = await runPayments(args, { env });
    expect(parsePrinted(ran)).toEqual({
      method: "POST",
      url: `${server.url}/v1/payments`,
      headers: {
        authorization: `Bearer svc_test_sk_…${someKeys.test.slice(-4)}`,
        "content-type": "application/json",
        "idempotency-key": "k",
      },
      body: { ...body, card: { ...body.card, number: "…4242", cvc: "…" } },
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).not.toContain(someKeys.test);
    expect(ran.stdout).not.toMatch(/4242 ?4242|"012"/);
    expect(server.requests).toEqual([]);
  });

  test("is printed by --dry-run for the embedded service too, and not sent", async () => {
    const home = createTemporaryHome();
    const args = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const hostile = ["--description", "\u009B2J"];
    const ran = await runPayments([...args, ...hostile, "--dry-run"], { home });
    expect({ stderr: ran.stderr, exitCode: ran.exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ url: "embedded:/v1/payments" });
    expect(ran.stdout).not.toContain("\u009B");
    const listed = await runPayments(["list", "--json"], { home });
    expect(parsePrinted(listed)).toMatchObject({ data: [] });
  });
});
