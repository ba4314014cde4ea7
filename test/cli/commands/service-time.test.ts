import { beforeAll, expect, test, vi } from "vitest";
import { body, openSandbox } from "../../testkit/client/running-service.ts";
import { createServiceEnv, parsePrinted, runPayments } from "../../testkit/command/run-payments.ts";

// A sandbox whose time is years ahead of this machine's: an early payment, and a late one two days after it.
let run: (...args: string[]) => ReturnType<typeof runPayments>;
let endpointId = "";
let late = "";
beforeAll(async () => {
  const { sandbox, client } = await openSandbox({ clock: "manual", seed: "1" });
  const env = createServiceEnv(sandbox.url, sandbox.keys.test);
  run = async (...args) => runPayments(args, { env });
  for (let moved = 0; moved < 5; moved++) await sandbox.advance("400d");
  endpointId = (await client.webhookEndpoints.create({ url: "http://127.0.0.1:9/" })).id;
  await client.payments.create(body);
  await sandbox.advance("2d");
  late = (await client.payments.create(body)).id;
  const isLogged = async () => {
    const { data } = await client.requests.list({ payment: late });
    if (data.length === 0) throw new Error("The request is not logged yet.");
  };
  await vi.waitFor(isLogged, { timeout: 60_000 });
});

test.each([
  { list: ["list"], payment: "id" },
  { list: ["events", "list"], payment: "data.object.id" },
  { list: ["logs", "list", "--method", "POST", "--status", "201"], payment: "payment" },
])("an age in $list counts back from the service's time", async ({ list, payment }) => {
  const found = await run(...list, "--created-gte", "24h", "-o", "csv", "--fields", payment);
  expect(found).toMatchObject({ stdout: `${payment}\n${late}\n`, exitCode: 0 });
});

test("so do those of deliveries, a report and a recovery", async () => {
  const deliveries = await run(
    "webhooks",
    "deliveries",
    endpointId,
    "--created-gte",
    "24h",
    "-o",
    "csv",
  );
  expect(deliveries.stdout.trim().split("\n")).toHaveLength(2);
  const { data } = parsePrinted(await run("report", "--from", "1d", "--json"));
  expect(data).toMatchObject([{ period: "2032-07-09", payments: 1 }]);
  const recover = ["webhooks", "recover", endpointId, "--since", "24h", "--no-wait", "--json"];
  expect(parsePrinted(await run(...recover))).toMatchObject({ queued: 0 });
});

test("a test card of the command has not expired, however far the time was moved", async () => {
  const visa = ["create", "--amount", "100", "--currency", "eur", "--test-card", "visa"];
  const created = await run(...visa, "--expect", "succeeded");
  expect(created.exitCode).toBe(0);
  const triggered = await run("trigger", "payment.refunded", "--json");
  expect(parsePrinted(triggered)).toMatchObject({ status: "refunded" });
});

test("the doctor takes a sandbox's time for its own", async () => {
  const { checks } = parsePrinted(await run("doctor", "--json"));
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: "clock",
      status: "ok",
      detail: "The sandbox has a clock of its own, at 2032-07-09T08:00:00Z.",
    }),
  );
});
