import { describe, expect, test, vi } from "vitest";
import type { DeliveryList, Delivery } from "../../../../src/contract/delivery.ts";
import type { EventList } from "../../../../src/contract/event.ts";
import type { EndpointList, WebhookEndpoint } from "../../../../src/contract/webhook-endpoint.ts";
import { runningService, body } from "../../../testkit/client/running-service.ts";
import { createTemporaryHome } from "../../../testkit/temporary.ts";
import {
  createServiceEnv,
  parseError,
  parsePrinted,
  runPayments,
  type RunOptions,
} from "../../../testkit/command/run-payments.ts";
import { scriptedServer, text, type Answer } from "../../../testkit/client/scripted-server.ts";

const service = runningService({ webhooks: { schedule: [0, 50], allowsPrivate: true } });
const url = "https://shop.example/hooks";
const visa = ["--amount", "1", "--currency", "eur", "--test-card", "visa"];
const noSender =
  "The embedded service sends nothing itself: what is due waits for payments serve.\n";

const services: [name: string, options: () => RunOptions][] = [
  ["the embedded service", () => ({ home: createTemporaryHome() })],
  ["a running service", () => ({ env: createServiceEnv(service.url, service.keys.live) })],
];

describe.concurrent.each(services)("on %s", (_, optionsOf) => {
  test("an endpoint can be created, shown, changed and deleted", async () => {
    const options = optionsOf();
    const webhooks = async (...args: string[]) =>
      parsePrinted(await runPayments(["webhooks", ...args, "--json"], options)) as WebhookEndpoint;
    const args = ["--url", url, "--events", "payment.failed", "--description", "Orders"];
    const { secret, ...made } = await webhooks("create", ...args);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({ url, events: ["payment.failed"], description: "Orders" });
    const { id } = made;

    expect(await webhooks("get", id)).toEqual(made);
    const list = await runPayments(["webhooks", "list", "--json"], options);
    expect((parsePrinted(list) as EndpointList).data).toContainEqual(made);

    const changed = { ...made, url: `${url}/new`, events: ["*"], description: null };
    const change = ["--url", changed.url, "--events", "*", "--description", ""];
    expect(await webhooks("update", id, ...change)).toEqual(changed);
    expect(await webhooks("disable", id)).toEqual({ ...changed, status: "disabled" });
    expect(await webhooks("enable", id)).toEqual(changed);

    const rolled = await webhooks("roll", id, "--overlap", "0h");
    expect(rolled).toEqual({ ...changed, secret: expect.stringMatching(/^whsec_/) as unknown });
    expect(rolled.secret).not.toBe(secret);

    expect(await webhooks("delete", id, "--yes")).toMatchObject({ id, deleted: true });
    const gone = await runPayments(["webhooks", "get", id, "--json"], options);
    expect(gone.exitCode).toBe(5);
    expect(parseError(gone)).toMatchObject({ code: "resource_missing" });
  });
});

describe.concurrent("on the embedded service", () => {
  test("create notes that the embedded service sends nothing", async () => {
    const ran = await runPayments(["webhooks", "create", "--url", url]);
    expect(ran.stderr).toBe(`Store the secret now: it is not shown again.\n${noSender}`);
    const served = { env: createServiceEnv(service.url, service.keys.test) };
    const elsewhere = await runPayments(["webhooks", "create", "--url", url], served);
    expect(elsewhere.stderr).toBe("Store the secret now: it is not shown again.\n");
  });

  test("an event is queued for its subscribers, and once more by resend", async () => {
    const home = createTemporaryHome();
    const json = async (...args: string[]) =>
      parsePrinted(await runPayments([...args, "--json"], { home }));
    const findEndpoint = async (types: string) => {
      const made = await json("webhooks", "create", "--url", url, "--events", types);
      return String(made["id"]);
    };
    const subscribed = await findEndpoint("payment.succeeded");
    const other = await findEndpoint("payment.failed");
    await json("create", ...visa);
    const [event] = ((await json("events", "list")) as EventList).data;
    const id = event?.id ?? "";
    const listQueued = async (endpoint: string) =>
      ((await json("webhooks", "deliveries", endpoint)) as DeliveryList).data;
    const pending = { event: id, type: "payment.succeeded", status: "pending", attempts: 0 };
    expect(await listQueued(subscribed)).toMatchObject([pending]);
    expect(await listQueued(other)).toEqual([]);

    const named = (await json("events", "resend", id, "--endpoint", other)) as DeliveryList;
    expect(named.data).toMatchObject([pending]);
    expect(await listQueued(other)).toEqual(named.data);
    const inWords = await runPayments(["events", "resend", id], { home });
    expect(inWords.stdout).toContain(id);
    expect(inWords.stderr).toBe(noSender);

    await json("webhooks", "disable", subscribed);
    await json("webhooks", "disable", other);
    expect(await runPayments(["events", "resend", id], { home })).toEqual({
      stdout: "",
      stderr: "Nothing was queued: no endpoint is enabled. See payments webhooks list.\n",
      exitCode: 0,
    });
    const off = await runPayments(["events", "resend", id, "--endpoint", other, "--json"], {
      home,
    });
    expect(off.exitCode).toBe(2);
    expect(parseError(off)).toMatchObject({ code: "parameter_invalid", param: "endpoint" });
  });
});

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

test("payments webhooks recover waits until an endpoint has what it missed, and exits with 3 where it fails again", async () => {
  let isDown = true;
  const receiver = await scriptedServer((response) => {
    response.writeHead(isDown ? 500 : 200).end();
  });
  const client = service.client();
  const { id } = await client.webhookEndpoints.create({ url: `${receiver.url}/hooks` });
  for (const _ of [1, 2]) await client.payments.create(body);
  // Those that fail again are told apart by the second in which they were queued.
  const areOver = async () => {
    const { data } = await client.webhookEndpoints.deliveries(id, { status: "failed" });
    const nowS = Math.floor(Date.now() / 1000);
    expect(data.filter(({ created }) => created < nowS)).toHaveLength(2);
  };
  await vi.waitFor(areOver, { timeout: 120_000 });
  const env = createServiceEnv(service.url, service.keys.test);
  const recover = ["webhooks", "recover", id, "--since", "1h"];
  const again = await runPayments(recover, { env });
  expect(again).toMatchObject({ stdout: "Queued 2 events.\n", exitCode: 3 });
  expect(again.stderr).toContain("2 of 2 events were not accepted by the endpoint.");
  expect(again.stderr).toContain(`See why: payments webhooks deliveries ${id} --status failed\n`);
  isDown = false;
  expect(await runPayments(recover, { env })).toEqual({
    stdout: "Queued 2 events.\n",
    stderr: "All 2 were delivered.\n",
    exitCode: 0,
  });
  const events = receiver.requests.map(({ headers }) => String(headers["webhook-id"]));
  expect(new Set(events.slice(-2))).toEqual(new Set(events));
  expect(await runPayments(recover, { env })).toMatchObject({ stdout: "Queued 0 events.\n" });
});
