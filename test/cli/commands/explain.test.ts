import { describe, expect, test } from "vitest";
import type { History, Moment } from "../../../src/contract/history.ts";
import type { RequestList } from "../../../src/contract/logged-request.ts";
import { historyWith, paymentWith } from "../../testkit/api-objects.ts";
import { json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { runInTerminal, requireTerminals } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  runPayments,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";

const { id } = paymentWith();
const uuid = id.slice("pay_".length);
const [event, endpoint] = [`evt_${uuid}`, `we_${uuid}`];
const delivery = `del_${uuid}-0123456789`;
const at = 1_767_225_600;
const links = { by: null, request: null, event: null, delivery: null, endpoint: null };

const told: Moment[] = [
  {
    ...links,
    at,
    kind: "created",
    text: "The payment of 49.99 EUR was created for the visa card ending in 4242.",
    by: { type: "key", id: `key_${uuid}`, name: "Shop" },
    request: `req_${uuid}`,
  },
  {
    ...links,
    at,
    kind: "succeeded",
    text: "The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
    by: { type: "service", id: null, name: null },
    event,
  },
  {
    ...links,
    at: at + 1,
    kind: "delivery_failed",
    text: "payment.succeeded was not delivered to https://shop.example/hooks, which answered 503.",
    event,
    delivery,
    endpoint,
  },
];

/** A service in which a webhook is due 18 minutes from now. */
const openService = async (fields: Partial<History> = {}) => {
  const due = {
    at: Math.floor(Date.now() / 1000) + 18 * 60 + 30,
    kind: "delivery" as const,
    text: "payment.succeeded is sent to https://shop.example/hooks again.",
  };
  const history = historyWith({ data: told, due: [due], ...fields });
  const payment = paymentWith({ customer: { name: "Ada Lovelace", email: "ada@example.com" } });
  const server = await scriptedServer((response, request) =>
    json(200, request.path.endsWith("/history") ? history : payment)(response, request),
  );
  return { history, server, options: { env: { ...createServiceEnv(server.url), TZ: "UTC" } } };
};

describe("payments explain", () => {
  test("tells a person who, when, what and what is next, a line a moment", async () => {
    const { options } = await openService();
    const ran = await runPayments(["explain", id], options);
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    expect(ran.stdout).toBe(
      [
        `Payment   ${id}`,
        "Status    succeeded",
        "Amount    49.99 EUR",
        "Mode      test",
        "Card      visa •••• 4242, expires 12/2031, US",
        "Customer  Ada Lovelace, ada@example.com",
        "",
        "WHEN                 BY        WHAT",
        "2026-01-01 00:00:00  key Shop  The payment of 49.99 EUR was created for the visa card ending in 4242.",
        "2026-01-01 00:00:00  service   The payment succeeded: 49.99 EUR was charged to the visa card ending in 4242.",
        "2026-01-01 00:00:01            payment.succeeded was not delivered to https://shop.example/hooks, which answered 503.",
        "",
        "NEXT",
        "In 18 minutes: payment.succeeded is sent to https://shop.example/hooks again.",
        "payment.succeeded was not delivered to https://shop.example/hooks, which answered 503. To send it again now:",
        `  payments events resend ${event} --endpoint ${endpoint}`,
        "",
      ].join("\n"),
    );
  });

  test.each([80, 40])("fits a terminal of %i columns", async (columns) => {
    requireTerminals();
    const { options } = await openService();
    const terminal = runInTerminal(["explain", id, "--no-color"], { ...options, columns });
    expect(await terminal.exitCode).toBe(0);
    const screen = terminal.screen().replaceAll("\r", "");
    const story = screen.slice(screen.indexOf("WHEN"), screen.indexOf("  payments events"));
    for (const line of story.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    expect(story.replaceAll(/\s+/g, " ")).toMatch(/charged to the visa card.*In 18 minutes: /);
  });

  test("has the commands that help with what is due", async () => {
    const soon = Math.floor(Date.now() / 1000);
    const due = (["settlement", "expiry", "refund"] as const).map((kind, days) => ({
      at: soon + days * 86_400 * 2 + 1,
      kind,
      text: "It happens.",
    }));
    const { options } = await openService({ due, data: told.slice(0, 2), has_more: true });
    const ran = await runPayments(["explain", id, "--mode", "test"], options);
    expect(ran.stdout.slice(ran.stdout.indexOf("NEXT"))).toMatch(
      new RegExp(
        [
          "NEXT",
          "(?:Now|In 1 second): It happens\\.",
          "In 2 days: It happens\\.",
          "In 4 days: It happens\\.",
          `To wait for the outcome:\n  payments get ${id} --wait --mode test`,
          `To end it before:\n  payments cancel ${id} --mode test`,
          `To wait for the refund:\n  payments refund ${id} --mode test\n$`,
        ].join("\n"),
      ),
    );
    expect(ran.stderr).toBe("These are the newest 1,000 moments.\n");
  });

  test("prints the API's list, a record a line, or columns", async () => {
    const { options, history, server } = await openService();
    const run = async (...args: string[]) =>
      (await runPayments(["explain", id, ...args], options)).stdout;
    expect(JSON.parse(await run("--json"))).toEqual(history);
    const records = (await run("-o", "ndjson")).trimEnd().split("\n");
    expect(records.map((line) => JSON.parse(line) as Moment)).toEqual(told);
    expect(await run("-o", "csv", "--fields", "at,kind,by.name,endpoint")).toBe(
      `at,kind,by.name,endpoint\n${at},created,Shop,\n${at},succeeded,,\n${at + 1},delivery_failed,,${endpoint}\n`,
    );
    expect(server.requests.every(({ path }) => path.endsWith("/history"))).toBe(true);
  });

  test("finds the payment that a request or an event is about, at once", async () => {
    const home = createTemporaryHome();
    const run = async (...argv: string[]) => runPayments(argv, { home });
    const visa = "create --amount 4999 --currency eur --test-card visa --json".split(" ");
    const paid = parsePayment(await run(...visa));
    const refused = parseError(await run("cancel", paid.id, "--yes", "--json"));
    const list = JSON.parse((await run("logs", "list", "--json")).stdout) as RequestList;
    for (const about of [
      paid.id,
      paid.id.replace("pay_", "evt_"),
      String(refused["request_id"]),
      String(list.data.at(-1)?.id),
    ]) {
      const { stdout } = await run("explain", about, "--json");
      const { payment, data } = JSON.parse(stdout) as History;
      expect([about, payment]).toEqual([about, paid.id]);
      expect(data.map(({ kind }) => kind)).toEqual(["created", "succeeded", "refused"]);
    }
  });

  test("says that there is no such payment, or that a request is about none, with exit code 5", async () => {
    const home = createTemporaryHome();
    const run = async (...argv: string[]) => runPayments(argv, { home });
    for (const unknown of ["pay_none", "evt_none", "del_none"]) {
      expect(await run("explain", unknown)).toMatchObject({ stdout: "", exitCode: 5 });
    }
    const refused = parseError(await run("events", "get", "evt_none", "--json"));
    const ran = await run("explain", String(refused["request_id"]));
    expect(ran).toMatchObject({ stdout: "", exitCode: 5 });
    expect(ran.stderr).toContain("This request is about no payment.");
  });

  test("refuses what is no id, before anything is sent", async () => {
    const ran = await runPayments(["explain", "ada@example.com"], { startsNothing: true });
    expect(ran).toMatchObject({ stdout: "", exitCode: 2 });
    expect(ran.stderr).toContain('payments list --search "ada@example.com"');
  });
});
