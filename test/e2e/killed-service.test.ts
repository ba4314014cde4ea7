import { describe, expect, it } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import {
  createKey,
  startServing,
  createTemporaryFolder,
} from "../testkit/command/installed-command.ts";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };

describe("a service killed while it works", () => {
  it("has every acknowledged payment once after three kills under 50 concurrent creates", async () => {
    const home = createTemporaryFolder();
    const { key } = await createKey(home);
    const acknowledged = new Map<string, string>(); // order → id
    const unacknowledged: string[] = [];
    for (let kill = 0; kill < 3; kill++) {
      const service = await startServing(home, "--log-level", "silent");
      const { create, close } = createClient(service.url, key, 0);
      let left = 50 + kill * 37; // so that each kill comes at another moment
      const creating = Array.from({ length: 50 }, async (_, index) => {
        for (let round = 0; ; round++) {
          const order = `${kill}-${index}-${round}`;
          const payment = await create(order).catch(() => undefined);
          if (!payment) return unacknowledged.push(order);
          acknowledged.set(order, payment.id);
          if (--left === 0) void service.kill("SIGKILL");
        }
      });
      await Promise.all(creating);
      await close();
    }
    expect(acknowledged.size).toBeGreaterThan(250);
    expect(unacknowledged).toHaveLength(150);

    // Whether a write was committed before the kill or not, a retry with its key makes one payment.
    const service = await startServing(home, "--log-level", "silent");
    const { create, payments, close } = createClient(service.url, key, 10); // a busy machine may refuse some
    await Promise.all(
      unacknowledged.map(async (order) => acknowledged.set(order, (await create(order)).id)),
    );
    const stored: [string, string][] = [];
    for await (const { id, metadata } of payments.all()) stored.push([metadata["order"] ?? "", id]);
    await close();
    expect(stored).toHaveLength(acknowledged.size);
    expect(new Map(stored)).toEqual(acknowledged);
  });
});

function createClient(baseUrl: string, apiKey: string, maxRetries: number) {
  const client = new PaymentsClient({ baseUrl, apiKey, maxRetries });
  const create = async (order: string) =>
    client.payments.create(
      { amount: 100, currency: "eur", card, metadata: { order } },
      { idempotencyKey: order },
    );
  return { create, payments: client.payments, close: async () => client.close() };
}
