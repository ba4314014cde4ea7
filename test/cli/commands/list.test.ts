import { beforeAll, describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome, someKeys } from "../../testkit/command/temporary-home.ts";
import {
  createServiceEnv,
  parseError,
  parseList,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
/** Newest first: a payment of 3, of 2 (declined) and of 1. */
let made: Payment[] = [];

beforeAll(async () => {
  const { payments } = service.client();
  const first = await payments.create({ ...body, amount: 1 });
  const second = await payments.create({ ...body, amount: 2, card: declining });
  const third = await payments.create({ ...body, amount: 3 });
  made = [third, await payments.settled(second), first];
});

async function list(...args: string[]): Promise<Ran> {
  const env = { ...createServiceEnv(service.url, service.keys.test), TZ: "UTC" };
  return await runPayments(["list", ...args], { env });
}
const listAmounts = (ran: Ran) => parseList(ran).data.map(({ amount }) => amount);

describe.concurrent("payments list", () => {
  test("with --json prints exactly the API's list", async () => {
    const expected = { object: "list", url: "/v1/payments", data: made, has_more: false };
    expect(await list("--json")).toEqual({
      stdout: `${JSON.stringify(expected)}\n`,
      stderr: "",
      exitCode: 0,
    });
  });

  test("prints a table", async () => {
    const { stdout, stderr, exitCode } = await list();
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +STATUS +AMOUNT +CREATED +CARD +CUSTOMER +DESCRIPTION$/);
    expect(lines).toHaveLength(4);
    expect(lines[2]).toMatch(
      new RegExp(`^${made[1]?.id} +failed \\(generic_decline\\) +0\\.02 EUR +2\\d{3}-.+ visa 0002`),
    );
  });

  test.each([
    ["json", '{"object":"list","url":"/v1/payments","data":[],"has_more":false}\n', ""],
    ["ndjson", "", ""],
    ["csv", "id,card.last4\n", "No payments.\n"],
    ["table", "", "No payments.\n"],
  ])("of nothing is 0, as %s", async (format, stdout, stderr) => {
    const home = createTemporaryHome();
    const args = ["list", "-o", format, "--fields", "id,card.last4"];
    const expected = { stdout, stderr, exitCode: 0 };
    expect(await runPayments(args, { home })).toEqual(expected);
    expect(await runPayments([...args, "--all"], { home })).toEqual(expected);
  });

  test("filters by status and by time", async () => {
    const created = made[0]?.created ?? 0;
    const runs = await Promise.all([
      list("--json", "--status", "failed"),
      list("--json", "--status", "refunded"),
      list("--json", "--created-gte", "1h"),
      list("--json", "--created-gte", String(created + 1)),
      list("--json", "--created-lt", String(created + 1), "--status", "succeeded"),
      list("--json", "--created-lt", "2020-01-01"),
      list("--json", "--created-gte", "2020-01-01T00:00:00Z", "--created-lt", "0s"),
    ]);
    expect(runs.slice(0, 6).map(listAmounts)).toEqual([[2], [], [3, 2, 1], [], [3, 1], []]);
    expect(runs[6]?.exitCode).toBe(0);
  });

  test("sends the given filters and no other", async () => {
    const server = await emptyList();
    const env = { PAYMENTS_API_KEY: someKeys.test };
    const filters = ["--status", "pending", "--starting-after", "pay_9", "--limit", "3"];
    await runPayments(["list", ...filters, "--base-url", server.url], { env });
    const query = new URL(server.url + server.requests[0]?.path).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      limit: "3",
      status: "pending",
      starting_after: "pay_9",
    });
  });

  test("exits with 2 for an unknown cursor", async () => {
    const ran = await list("--starting-after", "pay_0", "--json");
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)).toMatchObject({ code: "parameter_invalid", param: "starting_after" });
  });
});

async function emptyList() {
  const empty = { object: "list", url: "/v1/payments", data: [], has_more: false };
  return await scriptedServer(json(200, empty));
}
