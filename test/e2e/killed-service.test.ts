import { describe, expect, it } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import {
  createKey,
  startServing,
  createTemporaryFolder,
} from "../testkit/command/installed-command.ts";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };

describe("a service killed while it works", () => {
  it("has every payment that was answered, once, after each of five kills under 50 concurrent creates", async () => {
    const home = createTemporaryFolder();
    const { key } = await createKey(home);
    const answered = new Map<string, string>(); // order → id
    const unanswered: string[] = [];
    for (let kill = 0; kill < 5; kill++) {
      const service = await startServing(home, "--log-level", "silent");
      const { create, close } = clientOf(service.url, key);
      let left = 50 + kill * 37; // so that each kill meets another moment
      const creating = Array.from({ length: 50 }, async (_, index) => {
        for (let round = 0; ; round++) {
          const order = `${kill}-${index}-${round}`;
          const payment = await create(order).catch(() => undefined);
          if (!payment) return unanswered.push(order);
          answered.set(order, payment.id);
          if (--left === 0) void service.kill("SIGKILL");
        }
      });
      await Promise.all(creating);
      await close();
    }
    expect(answered.size).toBeGreaterThan(500);
    expect(unanswered).toHaveLength(250);

    // Whether it was done before the kill or not: a retry with its key makes one payment of it.
    const service = await startServing(home, "--log-level", "silent");
    const { create, payments, close } = clientOf(service.url, key);
    await Promise.all(
      unanswered.map(async (order) => answered.set(order, (await create(order)).id)),
    );
    const kept: [string, string][] = [];
    for await (const { id, metadata } of payments.all()) kept.push([metadata["order"] ?? "", id]);
    await close();
    expect(kept).toHaveLength(answered.size);
    expect(new Map(kept)).toEqual(answered);
  });
});

function clientOf(baseUrl: string, apiKey: string) {
  const client = new PaymentsClient({ baseUrl, apiKey, maxRetries: 0 });
  const create = async (order: string) =>
    client.payments.create(
      { amount: 100, currency: "eur", card, metadata: { order } },
      { idempotencyKey: order },
    );
  return { create, payments: client.payments, close: async () => client.close() };
}
