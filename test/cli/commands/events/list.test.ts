import { beforeAll, describe, expect, test } from "vitest";
import type { EventList } from "../../../../src/contract/event.ts";
import type { Payment } from "../../../../src/contract/payment.ts";
import { body, declining, runningService } from "../../../testkit/client/running-service.ts";
import { newHome } from "../../../testkit/command/temporary-home.ts";
import { against, printed, runPayments, type Ran } from "../../../testkit/command/run-payments.ts";

const service = runningService();
let refunded: Payment;
let declined: Payment;

beforeAll(async () => {
  const { payments } = service.client();
  refunded = await payments.refund((await payments.create(body)).id);
  declined = await payments.settled(await payments.create({ ...body, card: declining }));
});

async function list(...args: string[]): Promise<Ran> {
  const env = { ...against(service.url, service.keys.test), TZ: "UTC" };
  return await runPayments(["events", "list", ...args], { env });
}
const eventsIn = (ran: Ran) => (printed(ran) as EventList).data;
const typesIn = (ran: Ran) => eventsIn(ran).map(({ type }) => type);

describe.concurrent("payments events list", () => {
  test("with --json prints exactly the API's list, newest first", async () => {
    const ran = await list("--json");
    const expected = await service.client().events.list({ limit: 10 });
    expect(ran).toEqual({ stdout: `${JSON.stringify(expected)}\n`, stderr: "", exitCode: 0 });
    expect(typesIn(ran)).toEqual([
      "payment.failed",
      "payment.pending",
      "payment.refunded",
      "payment.succeeded",
    ]);
    expect(eventsIn(ran)[0]?.data.object).toEqual(declined);
  });

  test("filters by type, by payment and by time", async () => {
    const runs = await Promise.all([
      list("--json", "--type", "payment.refunded"),
      list("--json", "--payment", declined.id),
      list("--json", "--payment", refunded.id, "--type", "payment.failed"),
      list("--json", "--created-gte", "1h", "--limit", "1"),
      list("--json", "--created-lt", "2020-01-01"),
    ]);
    expect(runs.map(typesIn)).toEqual([
      ["payment.refunded"],
      ["payment.failed", "payment.pending"],
      [],
      ["payment.failed"],
      [],
    ]);
  });

  test("shows the events of the embedded service", async () => {
    const home = newHome();
    const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "visa"];
    const payment = printed(await runPayments([...create, "--json"], { home }));
    const ran = await runPayments(["events", "list", "--json"], { home });
    expect(eventsIn(ran)).toMatchObject([{ type: "payment.succeeded", data: { object: payment } }]);
    const { id = "" } = eventsIn(ran)[0] ?? {};
    const one = await runPayments(["events", "get", id, "--json"], { home });
    expect(printed(one)).toEqual(eventsIn(ran)[0]);
  });
});
