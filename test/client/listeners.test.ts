import { expect, test } from "vitest";
import { body, runningService } from "../testkit/client/running-service.ts";

const service = runningService();

test("deliveries that a listener took but did not report are given at once to the next start", async () => {
  const { listeners, payments, webhookEndpoints } = service.client();
  const { id } = await webhookEndpoints.create({ url: null });
  await listeners.start(id);
  const payment = await payments.create(body);
  const taken = await listeners.take(id, { wait_seconds: 25 });
  expect(taken.data).toMatchObject([{ event: { data: { object: payment } } }]);
  expect((await listeners.take(id)).data).toEqual([]);
  await listeners.start(id);
  const again = await listeners.take(id);
  expect(again.data.map(({ event }) => event)).toEqual(taken.data.map(({ event }) => event));
});
