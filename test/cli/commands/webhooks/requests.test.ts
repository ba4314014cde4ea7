import { describe, expect, test } from "vitest";
import { json, scriptedServer } from "../../../testkit/client/scripted-server.ts";
import { deliveryWith, endpointWith, listWith } from "../../../testkit/webhook-objects.ts";
import { eventWith } from "../../../testkit/event-with.ts";
import {
  createServiceEnv,
  parsePrinted,
  runPayments,
} from "../../../testkit/command/run-payments.ts";

// The request of each command; responses are in every-command.test.ts.

const { id } = endpointWith();
const event = eventWith().id;
const url = "https://shop.example/hooks";
const secret = "whsec_c2VjcmV0";
const queued = listWith(`/v1/events/${event}/resend`, deliveryWith());
const path = `/v1/webhook_endpoints/${id}`;

type Write = [args: string[], path: string, body: object, answer: object];
const writes: Write[] = [
  [
    ["webhooks", "create", "--url", url, "--description", "Orders"],
    "/v1/webhook_endpoints",
    { url, description: "Orders" },
    endpointWith({ secret }),
  ],
  [
    ["webhooks", "create", "--url", url, "--events", "payment.failed,payment.pending"],
    "/v1/webhook_endpoints",
    { url, events: ["payment.pending", "payment.failed"] },
    endpointWith({ secret }),
  ],
  [
    ["webhooks", "update", id, "--events", "payment.failed", "--events", "payment.refunded"],
    path,
    { events: ["payment.failed", "payment.refunded"] },
    endpointWith(),
  ],
  [
    ["webhooks", "update", id, "--url", url, "--description", "", "--events", "*"],
    path,
    { url, events: ["*"], description: null },
    endpointWith(),
  ],
  [["webhooks", "enable", id], path, { status: "enabled" }, endpointWith()],
  [["webhooks", "disable", id], path, { status: "disabled" }, endpointWith({ status: "disabled" })],
  [["webhooks", "roll", id], `${path}/roll`, { overlap_hours: 24 }, endpointWith({ secret })],
  [
    ["webhooks", "roll", id, "--overlap", "0h"],
    `${path}/roll`,
    { overlap_hours: 0 },
    endpointWith({ secret }),
  ],
  [["events", "resend", event], `/v1/events/${event}/resend`, {}, queued],
  [
    ["events", "resend", event, "--endpoint", id],
    `/v1/events/${event}/resend`,
    { endpoint: id },
    queued,
  ],
];

describe.concurrent.each(writes)("%j", (args, asked, body, answer) => {
  test("sends its request with the given idempotency key, and prints the response", async () => {
    const server = await scriptedServer(json(200, answer));
    const named = [...args, "--idempotency-key", "k-1", "--json"];
    expect(parsePrinted(await runPayments(named, { env: createServiceEnv(server.url) }))).toEqual(
      answer,
    );
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: asked });
    expect(request?.headers["idempotency-key"]).toBe("k-1");
    expect(JSON.parse(request?.body ?? "")).toEqual(body);
  });
});

test.concurrent("a secret is masked in the traffic of --debug", async () => {
  const server = await scriptedServer(json(201, endpointWith({ secret })));
  const args = ["webhooks", "create", "--url", url, "--debug"];
  const ran = await runPayments(args, { env: createServiceEnv(server.url) });
  expect(ran.stdout).toContain(secret);
  expect(ran.stderr).toContain('"secret":"whsec_…"');
  expect(ran.stderr).not.toContain(secret);
});
