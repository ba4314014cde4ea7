import { describe, expect, test } from "vitest";
import { body, declining, openSandbox } from "../../testkit/client/running-service.ts";
import { openRecordingReceiver } from "../../testkit/service/webhooks.ts";

async function openWithEndpoint() {
  const receiver = await openRecordingReceiver();
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
  await client.webhookEndpoints.create({ url: receiver.url("/hooks") });
  const startsAt = sandbox.now();
  /** The webhooks that arrived: the type, and after how many seconds. */
  const arrived = () =>
    receiver.arrivals.map(({ at, event }) => `${event.type.slice(8)} +${at - startsAt}`);
  return { sandbox, client, arrived };
}

async function openWithListener() {
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
  const { id } = await client.webhookEndpoints.create({ url: null });
  await client.listeners.start(id);
  /** Takes what is due, as a listener whose address answers 200, and returns the types. */
  const take = async () => {
    const { data } = await client.listeners.take(id);
    for (const { id: delivery, attempts } of data) {
      const report = { delivery, attempts, delivered: true, last_status: 200, answer: "ok" };
      await client.listeners.report(id, report);
    }
    return data.map(({ event }) => event.type.slice(8));
  };
  return { sandbox, client, id, take };
}

describe.concurrent("a fault of webhooks", () => {
  test("duplicate sends an event twice", async () => {
    const { sandbox, client, arrived } = await openWithEndpoint();
    sandbox.fault({ on: "webhooks", do: "duplicate" });
    await client.payments.create(body);
    await client.payments.create(body);
    await sandbox.advance("1s");
    expect(arrived()).toEqual(["succeeded +0", "succeeded +0", "succeeded +0"]);
  });

  test("lost_answer lets an event arrive, and again when it is retried", async () => {
    const { sandbox, client, arrived } = await openWithEndpoint();
    sandbox.fault({ on: "webhooks", do: "lost_answer" });
    await client.payments.create(body);
    await sandbox.advance("10s");
    expect(arrived()).toEqual(["succeeded +0", expect.stringMatching(/^succeeded \+[45]$/)]);
  });

  test("delay delivers an event later, by the sandbox's time", async () => {
    const { sandbox, client, arrived } = await openWithEndpoint();
    sandbox.fault({ on: "webhooks", do: "delay", for: "2h" });
    await client.payments.create(body);
    const { did } = await sandbox.advance("1h");
    expect([arrived(), did.delivery_attempts]).toEqual([[], 0]);
    expect((await sandbox.advance("1h")).did).toMatchObject({ delivered: 1, delivery_attempts: 1 });
    expect(arrived()).toEqual(["succeeded +7200"]);
  });

  test("reorder delivers an event after the one that follows it", async () => {
    const { sandbox, client, arrived } = await openWithEndpoint();
    sandbox.fault({ on: "webhooks", do: "reorder" });
    await client.payments.create({ ...body, card: declining });
    await sandbox.advance("10s");
    expect(arrived()).toEqual(["failed +1", "pending +1"]);
  });

  test("reorder delivers an event after a minute where none follows", async () => {
    const { sandbox, client, arrived } = await openWithEndpoint();
    sandbox.fault({ on: "webhooks", do: "reorder" });
    await client.payments.create(body);
    await sandbox.advance("59s");
    expect(arrived()).toEqual([]);
    await sandbox.advance("1s");
    expect(arrived()).toEqual(["succeeded +60"]);
  });
});

describe.concurrent("a fault of webhooks, where a listener sends them", () => {
  test("duplicate has it send an event twice", async () => {
    const { sandbox, client, take } = await openWithListener();
    sandbox.fault({ on: "webhooks", do: "duplicate" });
    await client.payments.create(body);
    expect([await take(), await take(), await take()]).toEqual([["succeeded"], ["succeeded"], []]);
    expect(sandbox.faults()).toMatchObject([{ struck: 1 }]);
  });

  test("lost_answer has it send an event again after a second", async () => {
    const { sandbox, client, id, take } = await openWithListener();
    sandbox.fault({ on: "webhooks", do: "lost_answer" });
    await client.payments.create(body);
    expect([await take(), await take()]).toEqual([["succeeded"], []]);
    await sandbox.advance("1s");
    expect([await take(), await take()]).toEqual([["succeeded"], []]);
    const [delivery] = (await client.webhookEndpoints.deliveries(id)).data;
    const { tries } = await client.webhookEndpoints.delivery(id, delivery?.id ?? "");
    expect(tries).toMatchObject([
      { status: null, error: "the connection was closed before the answer", answer: null },
      { status: 200, error: null, answer: "ok" },
    ]);
  });

  test("reorder has it send an event after the one that follows it", async () => {
    const { sandbox, client, take } = await openWithListener();
    sandbox.fault({ on: "webhooks", do: "reorder" });
    await client.payments.create({ ...body, card: declining });
    expect(await take()).toEqual([]);
    await sandbox.advance("1s");
    expect([await take(), await take()]).toEqual([["failed"], ["pending"]]);
  });

  test("delay has it send an event later", async () => {
    const { sandbox, client, take } = await openWithListener();
    sandbox.fault({ on: "webhooks", do: "delay", for: "2h" });
    await client.payments.create(body);
    expect(await take()).toEqual([]);
    await sandbox.advance("2h");
    expect(await take()).toEqual(["succeeded"]);
  });

  test("is left for the account's endpoint", async () => {
    const receiver = await openRecordingReceiver();
    const { sandbox, client, take } = await openWithListener();
    await client.webhookEndpoints.create({ url: receiver.url("/hooks") });
    sandbox.fault({ on: "webhooks", do: "duplicate", times: 2 });
    await client.payments.create(body);
    expect([await take(), await take()]).toEqual([["succeeded"], []]);
    await sandbox.advance("1s");
    expect(receiver.arrivals).toHaveLength(2);
    expect(sandbox.faults()).toMatchObject([{ struck: 1 }]);
  });
});
