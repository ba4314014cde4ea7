import { describe, expect, test } from "vitest";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import {
  forward,
  json,
  paymentWith,
  refusal,
  scriptedServer,
  type Answer,
} from "../../testkit/client/scripted-server.ts";
import {
  runInTerminal,
  keys,
  requireTerminals,
  type TerminalOptions,
} from "../../testkit/command/in-terminal.ts";
import { createServiceEnv } from "../../testkit/command/run-payments.ts";

const service = runningService({ processingTimeMs: 60_000 });
const accessible = { ACCESSIBLE: "1" };
let customers = 0;

type Options = TerminalOptions & { mode?: "test" | "live" };

/** Starts a refund without an id, where a customer has bought two books and a lamp. */
async function startChoosing(
  args: string[] = [],
  { env = {}, mode = "test", ...options }: Options = {},
) {
  const apiKey = service.keys[mode];
  const { payments } = service.client({ apiKey });
  const email = `ada${(customers += 1)}@example.com`;
  const order = { ...body, customer: { email } };
  const books = await payments.create({ ...order, description: "Two books" });
  const lamp = await payments.create({ ...order, amount: 1250, description: "A lamp" });
  await payments.create({ ...order, card: declining });
  const server = await scriptedServer(forward(service.url));
  const terminal = runInTerminal(["refund", ...args], {
    ...options,
    env: { ...createServiceEnv(server.url, apiKey), ...env },
  });
  await terminal.appears(env["ACCESSIBLE"] ? "to search:" : "Type part of an id");
  return {
    terminal,
    email,
    books,
    lamp,
    statusOf: async ({ id }: { id: string }) => (await payments.retrieve(id)).status,
    writes: () => server.requests.filter(({ method }) => method !== "GET"),
  };
}

describe.concurrent("payments refund without an id", () => {
  requireTerminals();
  test("searches as the user types, shows the payment, and asks for confirmation", async () => {
    const { terminal, email, books, statusOf, writes } = await startChoosing();
    terminal.type(`${email.slice(0, -4)} BOOKS`);
    await terminal.appears(`49.99 EUR  ${email}  visa 4242`);
    await terminal.appears(books.id);
    terminal.type(keys.enter);
    await terminal.appears(`Payment`);
    await terminal.appears("Refund 49.99 EUR?");
    expect(writes()).toEqual([]);
    terminal.type(`y${keys.enter}`);
    await terminal.appears("refunded");
    expect(await terminal.exitCode).toBe(0);
    expect(await statusOf(books)).toBe("refunded");
    expect(writes()).toHaveLength(1);
  });

  test("writes no escape sequence with ACCESSIBLE", async () => {
    const { terminal, email, books, lamp, statusOf } = await startChoosing([], { env: accessible });
    terminal.type(email + keys.enter);
    await terminal.appears(`1. 12.50 EUR, ${email}, visa 4242, `);
    await terminal.appears(`, A lamp, ${lamp.id}\r\n2. 49.99 EUR, ${email}, visa 4242, `);
    await terminal.appears(`, Two books, ${books.id}\r\n`);
    await terminal.appears("or amount to search:");
    terminal.type(`2${keys.enter}`);
    await terminal.appears(books.id);
    await terminal.appears("Refund 49.99 EUR? (yes or no; Enter means no)");
    terminal.type(`y${keys.enter}`);
    await terminal.appears("refunded");
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.screen()).not.toContain("\u001B");
    expect(await statusOf(books)).toBe("refunded");
  });

  test.each(["controlC", "controlD"] as const)("is left with %s: exit 10", async (key) => {
    const { terminal, writes } = await startChoosing();
    terminal.type(keys[key]);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toContain("Canceled; nothing was sent.");
    expect(writes()).toEqual([]);
  });
});

function list(...data: object[]): Answer {
  return json(200, { object: "list", url: "/v1/payments", data, has_more: false });
}

describe.concurrent("payments refund in a terminal", () => {
  requireTerminals();

  test("ends with the service's error during a search", async () => {
    const full = Array.from({ length: 100 }, (_, at) => paymentWith({ id: `pay_${at}` }));
    const first = { object: "list", url: "/v1/payments", data: full, has_more: true };
    const server = await scriptedServer(json(200, first), refusal(401, "invalid_api_key"));
    const terminal = runInTerminal(["refund"], { env: createServiceEnv(server.url) });
    await terminal.appears("Type part of an id");
    terminal.type("nobody");
    expect(await terminal.exitCode).toBe(4);
    expect(terminal.screen()).toContain("It went wrong.");
  });

  test.each([
    ["failed", "payment_not_refundable"],
    ["refunded", "payment_already_refunded"],
  ] as const)("asks nothing about a payment that is %s: exit 6", async (status, code) => {
    const payment = paymentWith({ status });
    const server = await scriptedServer(json(200, payment), refusal(422, code));
    const terminal = runInTerminal(["refund", payment.id], { env: createServiceEnv(server.url) });
    expect(await terminal.exitCode).toBe(6);
    expect(terminal.screen()).toContain(code);
    expect(terminal.screen()).not.toContain("?");
  });

  test("asks for confirmation of a pending payment too, which may succeed at any moment", async () => {
    const payment = paymentWith({ status: "pending" });
    const server = await scriptedServer(json(200, payment));
    const terminal = runInTerminal(["refund", payment.id], { env: createServiceEnv(server.url) });
    await terminal.appears("Refund 49.99 EUR?");
    terminal.type(keys.enter);
    expect(await terminal.exitCode).toBe(10);
    expect(server.requests).toHaveLength(1);
  });
});
