import { describe, expect, test } from "vitest";
import { body, clientOf, declining, openSandbox } from "../../testkit/client/running-service.ts";

async function openLive() {
  const { sandbox, client: testClient } = await openSandbox({ clock: "manual" });
  const client = clientOf(sandbox, sandbox.keys.live);
  const settle = async (id: string) => {
    await sandbox.advance("1h");
    const { status, decline_code } = await client.payments.retrieve(id);
    return [status, decline_code];
  };
  return { sandbox, client, testClient, settle };
}

describe.concurrent("a fault of the network", () => {
  test.each([
    ["processing", body, ["succeeded", null]],
    ["processing", { ...body, card: declining }, ["failed", "generic_decline"]],
    ["unknown", body, ["succeeded", null]],
    ["unknown", { ...body, card: declining }, ["failed", "processing_error"]],
  ] as const)(
    "%s leaves a live payment pending until the time moves on",
    async (kind, each, outcome) => {
      const { sandbox, client, settle } = await openLive();
      sandbox.fault({ on: "network", do: kind });
      const { id, status } = await client.payments.create(each);
      expect(status).toBe("pending");
      expect(await settle(id)).toEqual(outcome);
    },
  );

  test("decline declines with its code", async () => {
    const { sandbox, client, settle } = await openLive();
    sandbox.fault({ on: "network", do: "decline", code: "insufficient_funds" });
    const { id, status } = await client.payments.create(body);
    expect(status).toBe("pending");
    expect(await settle(id)).toEqual(["failed", "insufficient_funds"]);
  });

  test("refund_declined declines a refund, once", async () => {
    const { sandbox, client } = await openLive();
    sandbox.fault({ on: "network", do: "refund_declined" });
    const { id } = await client.payments.create(body);
    await expect(client.payments.refund(id)).rejects.toMatchObject({ code: "refund_declined" });
    expect((await client.payments.refund(id)).status).toBe("refunded");
  });

  test("strikes no replay", async () => {
    const { sandbox, client } = await openLive();
    const idempotencyKey = "5f0c2a1e";
    const { id } = await client.payments.create(body, { idempotencyKey });
    sandbox.fault({ on: "network", do: "decline" });
    expect((await client.payments.create(body, { idempotencyKey })).id).toBe(id);
    expect(sandbox.faults()[0]?.struck).toBe(0);
  });

  test("strikes no test payment", async () => {
    const { sandbox, testClient } = await openLive();
    sandbox.fault({ on: "network", do: "decline" });
    expect((await testClient.payments.create(body)).status).toBe("succeeded");
    expect(sandbox.faults()[0]?.struck).toBe(0);
  });
});
