import { describe, expect, test, vi } from "vitest";
import {
  drop,
  json,
  refusal,
  scriptedServer,
  silence,
} from "../../../testkit/client/scripted-server.ts";
import { deliveryWith, endpointWith, listWith } from "../../../testkit/webhook-objects.ts";
import { eventWith } from "../../../testkit/event-with.ts";
import { someKeys } from "../../../testkit/command/temporary-home.ts";
import {
  against,
  errorIn,
  printed,
  ranToItsEnd,
  runPayments,
  startPayments,
} from "../../../testkit/command/run-payments.ts";

// What each command asks of a service, and how it ends where that refuses or is not there.

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
  test("sends its request under the key that it is given, and prints the answer", async () => {
    const server = await scriptedServer(json(200, answer));
    const named = [...args, "--idempotency-key", "k-1", "--json"];
    expect(printed(await runPayments(named, { env: against(server.url) }))).toEqual(answer);
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: asked });
    expect(request?.headers["idempotency-key"]).toBe("k-1");
    expect(JSON.parse(request?.body ?? "")).toEqual(body);
  });

  test("names the key that it made where the outcome is unknown", async () => {
    const server = await scriptedServer(drop);
    const ran = await runPayments([...args, "--max-retries", "0", "--json"], {
      env: against(server.url),
    });
    expect(ran.exitCode).toBe(9);
    const key = server.requests[0]?.headers["idempotency-key"];
    expect(errorIn(ran)).toMatchObject({ idempotency_key: key });
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("wants an idempotency key that the API would take", async () => {
    const server = await scriptedServer(json(200, answer));
    const named = [...args, "--idempotency-key", "a b", "--json"];
    const ran = await runPayments(named, { env: against(server.url) });
    expect(ran.exitCode).toBe(2);
    expect(server.requests).toEqual([]);
  });
});

const reads: [args: string[], path: string, answer: object][] = [
  [["events", "get", event], `/v1/events/${event}`, eventWith()],
  [["webhooks", "get", id], path, endpointWith()],
  [
    ["webhooks", "list"],
    "/v1/webhook_endpoints?limit=100",
    listWith("/v1/webhook_endpoints", endpointWith()),
  ],
  [
    ["webhooks", "deliveries", id],
    `${path}/deliveries?limit=10`,
    listWith(`${path}/deliveries`, deliveryWith()),
  ],
];

describe.concurrent.each(reads)("%j", (args, asked, answer) => {
  test("prints exactly what the API answers, also what it adds later", async () => {
    const later = { ...answer, added_later: { a: 1 } };
    const server = await scriptedServer(json(200, later));
    const ran = await runPayments([...args, "--json"], { env: against(server.url) });
    expect(printed(ran)).toEqual(later);
    expect(server.requests).toMatchObject([{ method: "GET", path: asked }]);
  });
});

describe.concurrent.each([...writes, ...reads].map(([args]) => args))("%s %s %s", (...args) => {
  test.each([
    [404, "resource_missing", 5],
    [400, "parameter_invalid", 2],
    [401, "invalid_api_key", 4],
    [409, "idempotency_key_reused", 6],
  ])("answered %d %s is exit %d", async (status, code, exitCode) => {
    const server = await scriptedServer(refusal(status, code));
    const ran = await runPayments([...args, "--json"], { env: against(server.url) });
    expect(ran.exitCode).toBe(exitCode);
    expect(errorIn(ran)).toMatchObject({ code, http_status: status });
  });
});

test.concurrent.each([
  ["webhooks", "create", "--url", `https://${someKeys.test}@shop.example/`],
  ["webhooks", "create", "--url", url, "--events", "payment.faild"],
  ["webhooks", "create", "--url", url, "--fields", "id,sekret"],
  ["webhooks", "create"],
  ["webhooks", "update", id],
  ["webhooks", "update", event, "--url", url],
  ["webhooks", "update", id, "--url", "shop.example"],
  ["webhooks", "roll", id, "--overlap", "90m"],
  ["webhooks", "roll", id, "--overlap", "8d"],
  ["webhooks", "roll", someKeys.test],
  ["webhooks", "enable", "we_"],
  ["webhooks", "disable"],
  ["webhooks", "get", event],
  ["webhooks", "list", "--fields", "secret"],
  ["webhooks", "deliveries", id, "--starting-after", event],
  ["webhooks", "delete", event, "--yes"],
  ["webhooks", "delete", id],
  ["events", "get", id],
  ["events", "resend", event, "--endpoint", event],
])("%s %s %s %s %s is exit 2, and nothing is sent", async (...args) => {
  const server = await scriptedServer(json(200, endpointWith()));
  const ran = await runPayments([...args, "--json"], { env: against(server.url) });
  expect(ran.exitCode).toBe(2);
  expect(errorIn(ran)["code"]).toBe("usage");
  expect(ran.stderr).not.toContain(someKeys.test);
  expect(server.requests).toEqual([]);
});

test.concurrent("a write that is interrupted names its key", async () => {
  const server = await scriptedServer(silence);
  const child = startPayments(["webhooks", "roll", id], { env: against(server.url) });
  const ran = ranToItsEnd(child);
  await vi.waitUntil(() => server.requests.length > 0, { timeout: 120_000, interval: 10 });
  child.kill("SIGINT");
  const { stderr, exitCode } = await ran;
  expect(exitCode).toBe(130);
  const key = String(server.requests[0]?.headers["idempotency-key"]);
  expect(stderr).toContain(`--idempotency-key ${key}: nothing happens twice.`);
});

test.concurrent("a secret is masked where traffic is shown", async () => {
  const server = await scriptedServer(json(201, endpointWith({ secret })));
  const args = ["webhooks", "create", "--url", url, "--debug"];
  const ran = await runPayments(args, { env: against(server.url) });
  expect(ran.stdout).toContain(secret);
  expect(ran.stderr).toContain('"secret":"whsec_…"');
  expect(ran.stderr).not.toContain(secret);
});
