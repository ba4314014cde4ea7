import { beforeAll, describe, expect, test } from "vitest";
import type { EventList } from "../../../../src/contract/event.ts";
import type { Payment } from "../../../../src/contract/payment.ts";
import { body, declining, runningService } from "../../../testkit/client/running-service.ts";
import { createTemporaryHome } from "../../../testkit/command/temporary-home.ts";
import {
  createServiceEnv,
  parsePrinted,
  runPayments,
  type Ran,
} from "../../../testkit/command/run-payments.ts";

const service = runningService();
let refunded: Payment;
let declined: Payment;

beforeAll(async () => {
  const { payments } = service.client();
  refunded = await payments.refund((await payments.create(body)).id);
  declined = await payments.settled(await payments.create({ ...body, card: declining }));
});

async function list(...args: string[]): Promise<Ran> {
  const env = { ...createServiceEnv(service.url, service.keys.test), TZ: "UTC" };
  return await runPayments(["events", "list", ...args], { env });
}
const parseEvents = (ran: Ran) => (parsePrinted(ran) as EventList).data;
const parseTypes = (ran: Ran) => parseEvents(ran).map(({ type }) => type);

describe.concurrent("payments events list", () => {
  test("with --json prints exactly the API's list, newest first", async () => {
    const ran = await list("--json");
    const expected = await service.client().events.list({ limit: 10 });
    expect(ran).toEqual({ stdout: `${JSON.stringify(expected)}\n`, stderr: "", exitCode: 0 });
    expect(parseTypes(ran)).toEqual([
      "payment.failed",
      "payment.pending",
      "payment.refunded",
      "payment.succeeded",
    ]);
    expect(parseEvents(ran)[0]?.data.object).toEqual(declined);
  });

  test("filters by type, by payment and by time", async () => {
    const runs = await Promise.all([
      list("--json", "--type", "payment.refunded"),
      list("--json", "--payment", declined.id),
      list("--json", "--payment", refunded.id, "--type", "payment.failed"),
      list("--json", "--created-gte", "1h", "--limit", "1"),
      list("--json", "--created-lt", "2020-01-01"),
    ]);
    expect(runs.map(parseTypes)).toEqual([
      ["payment.refunded"],
      ["payment.failed", "payment.pending"],
      [],
      ["payment.failed"],
      [],
    ]);
  });

  test("shows the events of the embedded service", async () => {
    const home = createTemporaryHome();
    const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const payment = parsePrinted(await runPayments([...create, "--json"], { home }));
    const ran = await runPayments(["events", "list", "--json"], { home });
    expect(parseEvents(ran)).toMatchObject([
      { type: "payment.succeeded", data: { object: payment } },
    ]);
    const { id = "" } = parseEvents(ran)[0] ?? {};
    const one = await runPayments(["events", "get", id, "--json"], { home });
    expect(parsePrinted(one)).toEqual(parseEvents(ran)[0]);
  });
});
