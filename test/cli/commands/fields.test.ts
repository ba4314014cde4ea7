import { describe, expect, test } from "vitest";
import { json, paymentWith, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createServiceEnv, runPayments, type Ran } from "../../testkit/command/run-payments.ts";

const payment = paymentWith({
  metadata: { order_id: "1001", "a.b": "c, d" },
  description: "A book",
});
const page = { object: "list", url: "/v1/payments", data: [payment], has_more: false };
const fields = "amount,metadata.order_id,card.last4,metadata.a.b,id,card.brand,decline_code";
const picked = {
  amount: 4999,
  metadata: { order_id: "1001", "a.b": "c, d" },
  card: { last4: "4242", brand: "visa" },
  id: payment.id,
  decline_code: null,
};
const commands: Record<string, string[]> = {
  list: ["list"],
  get: ["get", payment.id],
};
const names = Object.keys(commands);

async function run(name: string, ...args: string[]): Promise<Ran> {
  const server = await scriptedServer(json(200, name === "list" ? page : payment));
  return await runPayments([...(commands[name] ?? []), ...args], {
    env: createServiceEnv(server.url),
  });
}

describe.concurrent.each(names)("payments %s --fields", (name) => {
  test("prints only those fields in JSON, in their order", async () => {
    const { stdout, stderr, exitCode } = await run(name, "--fields", fields, "--json");
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const expected = name === "list" ? { ...page, data: [picked] } : picked;
    expect(stdout).toBe(`${JSON.stringify(expected)}\n`);
  });

  test("prints only those fields in JSON lines, in their order", async () => {
    const { stdout } = await run(name, "--fields", fields, "-o", "ndjson");
    expect(stdout).toBe(`${JSON.stringify(picked)}\n`);
  });

  test("prints those fields as the columns of a CSV", async () => {
    const { stdout } = await run(name, "--fields", fields, "-o", "csv");
    expect(stdout).toBe(`${fields}\n4999,1001,4242,"c, d",${payment.id},visa,\n`);
  });

  test("prints those fields as text", async () => {
    const { stdout } = await run(name, "--fields", "amount,metadata.a.b,card.last4");
    expect(stdout).toBe(
      name === "list"
        ? "   AMOUNT  METADATA.A.B  CARD.LAST4\n49.99 EUR  c, d          4242\n"
        : "amount        49.99 EUR\nmetadata.a.b  c, d\ncard.last4    4242\n",
    );
  });
});
