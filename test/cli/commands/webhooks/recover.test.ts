import { expect, test } from "vitest";
import { watchRecovery } from "../../../../src/cli/commands/webhooks/recover.ts";
import { body, openSandbox } from "../../../testkit/client/running-service.ts";
import { openRecordingReceiver } from "../../../testkit/service/webhooks.ts";

const connection = { lost: () => {}, back: () => {} };

test("a recovery counts what it queued, and neither what was pending before nor what comes later", async () => {
  const receiver = await openRecordingReceiver(() => 500);
  const { client } = await openSandbox({ clock: "manual", seed: "1" });
  const { id } = await client.webhookEndpoints.create({ url: receiver.url("/") });
  const pay = async (count: number) => {
    for (let made = 0; made < count; made++) await client.payments.create(body);
  };
  await client.webhookEndpoints.update(id, { status: "disabled" });
  await pay(3);
  await client.webhookEndpoints.update(id, { status: "enabled" });
  await pay(2); // their first attempt fails, and the next one waits for the clock
  const missed = { endpointId: id, since: 1_800_000_000 };
  const untilSent = await watchRecovery(client, missed, new AbortController().signal);
  await pay(4);
  const { queued } = await client.webhookEndpoints.recover(id, { since: missed.since });
  const seen: number[] = [];
  const onProgress = (waiting: number) => seen.push(waiting);
  const standing = await untilSent(queued, { onProgress, timeoutMs: 1, connection });
  expect([queued, standing, new Set(seen)]).toEqual([
    3,
    { waiting: 3, retried: 0, failed: 0 },
    new Set([3]),
  ]);
});
