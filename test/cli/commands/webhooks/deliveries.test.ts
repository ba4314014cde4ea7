import { describe, expect, test, vi } from "vitest";
import type { Delivery, DeliveryList } from "../../../../src/contract/delivery.ts";
import { body, runningService } from "../../../testkit/client/running-service.ts";
import { scriptedServer, text, type Answer } from "../../../testkit/client/scripted-server.ts";
import {
  createServiceEnv,
  parsePrinted,
  runPayments,
} from "../../../testkit/command/run-payments.ts";

/** Two attempts: at once, and a moment later. */
const service = runningService({ webhooks: { schedule: [0, 50], allowsPrivate: true } });

/** Returns the command's output about one delivery, after its last attempt. */
async function deliverTo(answer: Answer): Promise<{ delivery: Delivery; inWords: string }> {
  const receiver = await scriptedServer(answer);
  const client = service.client();
  const { id } = await client.webhookEndpoints.create({ url: `${receiver.url}/hooks` });
  await client.payments.create(body);
  const env = createServiceEnv(service.url, service.keys.test);
  const args = ["webhooks", "deliveries", id];
  const delivery = await vi.waitFor(
    async () => {
      const list = parsePrinted(await runPayments([...args, "--json"], { env })) as DeliveryList;
      const ended = list.data.at(-1);
      if (!ended || ended.status === "pending") throw new Error("It is still on its way.");
      return ended;
    },
    { timeout: 120_000, interval: 100 },
  );
  return { delivery, inWords: (await runPayments(args, { env })).stdout };
}

describe("payments webhooks deliveries", () => {
  test("shows a successful delivery", async () => {
    const { delivery, inWords } = await deliverTo(text(204, ""));
    expect(delivery).toMatchObject({
      type: "payment.succeeded",
      status: "delivered",
      attempts: 1,
      last_status: 204,
      next_attempt_at: null,
    });
    expect(inWords).toMatch(new RegExp(String.raw`\n${delivery.event} +delivered +1 +204 `));
  });

  test("shows a failed delivery with its error", async () => {
    const { delivery, inWords } = await deliverTo(text(500, "down"));
    expect(delivery).toMatchObject({ status: "failed", attempts: 2, last_status: 500 });
    expect(delivery.last_error).not.toBeNull();
    expect(inWords).toMatch(
      new RegExp(String.raw`\n${delivery.event} +failed +2 +the endpoint answered 500 `),
    );
  });
});
