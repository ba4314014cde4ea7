import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import {
  type Answer,
  forward,
  forwardAndDrop,
  holding,
  json,
  refusal,
  scriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { body, runningService, declining } from "../../testkit/client/running-service.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createEnvironment,
  createServiceEnv,
  launcher,
  parsePayment,
  runPayments,
} from "../../testkit/command/run-payments.ts";
import {
  openTerminal,
  runInTerminal,
  keys,
  requireTerminals,
  toNodeLine,
  type TerminalOptions,
} from "../../testkit/command/in-terminal.ts";

const service = runningService({ processingTimeMs: 60_000 });
const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa", "--json"];

async function refund(...args: string[]) {
  return await runPayments(["refund", ...args], {
    env: createServiceEnv(service.url, service.keys.test),
  });
}

describe.concurrent("payments refund", () => {
  test("shows the payment on standard error, and the refunded one on standard output", async () => {
    const { id } = await service.client().payments.create(body);
    const { stdout, stderr, exitCode } = await refund(id, "--yes");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(new RegExp(`^Payment +${id}\nStatus +succeeded\n`));
    expect(stdout).toMatch(new RegExp(`^Payment +${id}\nStatus +refunded\n`));
    expect(stdout).toMatch(/\nRefunded +2/);
  });

  test.each(["csv", "ndjson", "json"])(
    "a write with --yes puts nothing but errors on standard error with -o %s",
    async (format) => {
      const home = createTemporaryHome();
      const live = { home, env: { PAYMENTS_MODE: "live" } };
      const { id } = parsePayment(await runPayments(create, live));
      const refunding = ["refund", id, "--yes", "-o", format];
      expect(await runPayments(refunding, live)).toMatchObject({ exitCode: 0, stderr: "" });
      const again = await runPayments(refunding, live);
      expect(again).toMatchObject({ exitCode: 6, stdout: "" });
      expect(again.stderr).toContain("was not refunded again");

      const env = createServiceEnv(service.url, service.keys.test);
      const page = await service.client().payments.createHosted({ amount: 1, currency: "eur" });
      const canceling = ["cancel", page.id, "--yes", "-o", format];
      expect(await runPayments(canceling, { env })).toMatchObject({ exitCode: 0, stderr: "" });
      const { webhookEndpoints } = service.client();
      const endpoint = await webhookEndpoints.create({ url: "https://hooks.example" });
      const deleting = ["webhooks", "delete", endpoint.id, "--yes", "-o", format];
      expect(await runPayments(deleting, { env })).toMatchObject({ exitCode: 0, stderr: "" });
    },
  );

  test("notes in live mode on a running service with the simulator that no money moves", async () => {
    const env = createServiceEnv(service.url, service.keys.live);
    const { payments } = service.client({ apiKey: service.keys.live });
    const pay = async () => (await payments.create(body)).id;
    const said = await runPayments(["refund", await pay(), "--yes"], { env });
    expect(said.exitCode).toBe(0);
    expect(said.stderr.match(/no money moves/g)).toHaveLength(1);
    const quiet = await runPayments(["refund", await pay(), "--yes", "--json"], { env });
    expect(parsePayment(quiet).status).toBe("refunded");
    expect(quiet.stderr).toBe("");
  });
});

/** Starts the refund of a succeeded payment in a terminal. */
async function startRefund(mode: "test" | "live", options: TerminalOptions = {}) {
  const apiKey = service.keys[mode];
  const { payments } = service.client({ apiKey });
  const { id } = await payments.create(body);
  const env = createServiceEnv(service.url, apiKey);
  const terminal = runInTerminal(["refund", id], { ...options, env });
  return { id, terminal, status: async () => (await payments.retrieve(id)).status };
}

describe.concurrent("payments refund in a terminal", () => {
  requireTerminals();
  test("shows the payment, refunds it after yes, and writes only the refunded one to standard output", async () => {
    const stdoutTo = join(createTemporaryHome(), "stdout.txt");
    const { id, terminal, status } = await startRefund("test", { stdoutTo });
    await terminal.appears("Refund 49.99 EUR?");
    expect(terminal.screen()).toContain(id);
    expect(await status()).toBe("succeeded");
    terminal.type(`yes${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(await status()).toBe("refunded");
    expect(readFileSync(stdoutTo, "utf8")).toMatch(
      new RegExp(`^Payment +${id}\nStatus +refunded\n[^?\u001B]*$`),
    );
  });

  test("ends with 129 when the terminal is closed at the prompt, and refunds nothing", async () => {
    const { payments } = service.client();
    const { id } = await payments.create(body);
    const file = join(createTemporaryHome(), "exit-code.txt");
    const refunding = toNodeLine([launcher, "refund", id]);
    const terminal = openTerminal(`trap : HUP; ${refunding}; echo $? > '${file}'`, {
      cwd: createTemporaryHome(),
      env: createEnvironment({ env: createServiceEnv(service.url, service.keys.test) }),
    });
    await terminal.appears("Refund 49.99 EUR?");
    terminal.close();
    await expect.poll(() => (existsSync(file) ? readFileSync(file, "utf8") : "")).toBe("129\n");
    expect((await payments.retrieve(id)).status).toBe("succeeded");
  });

  test("refunds a live payment after the amount is typed", async () => {
    const { terminal, status } = await startRefund("live");
    await terminal.appears("Type the amount, 49.99 EUR, to refund it:");
    terminal.type(`49.99 EUR${keys.enter}`);
    expect(await terminal.exitCode).toBe(0);
    expect(await status()).toBe("refunded");
  });

  test("takes a live amount anew after a wrong one, and Enter alone as no", async () => {
    for (const [typed, exitCode, end] of [
      ["49.99", 0, "refunded"],
      ["", 10, "succeeded"],
    ] as const) {
      const { terminal, status } = await startRefund("live");
      await terminal.appears("Type the amount, 49.99 EUR, to refund it:");
      terminal.type(`49.98${keys.enter}`);
      await terminal.appears("That is not 49.99 EUR.");
      terminal.type(`${typed}${keys.enter}`);
      expect(await terminal.exitCode).toBe(exitCode);
      expect(await status()).toBe(end);
    }
  });
});

const accessible = { ACCESSIBLE: "1" };
/** A service that does what is asked, and whose responses to writes are lost. */
const dropWrites: Answer = (response, request) =>
  (request.method === "GET" ? forward : forwardAndDrop)(service.url)(response, request);
let customers = 0;

type Options = TerminalOptions & { mode?: "test" | "live"; answer?: Answer };

/** Starts a refund without an id, where a customer has bought two books and a lamp. */
async function startChoosing(
  args: string[] = [],
  { env = {}, mode = "test", answer = forward(service.url), ...options }: Options = {},
) {
  const apiKey = service.keys[mode];
  const { payments } = service.client({ apiKey });
  const email = `ada${(customers += 1)}@example.com`;
  const order = { ...body, customer: { email } };
  const books = await payments.create({ ...order, description: "Two books" });
  const lamp = await payments.create({ ...order, amount: 1250, description: "A lamp" });
  await payments.create({ ...order, card: declining });
  const server = await scriptedServer(answer);
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

const isSearch = ({ path }: { path: string }) => path.includes("search=");
const listWith = (data: Payment[]) => ({
  object: "list",
  url: "/v1/payments",
  data,
  has_more: false,
});

/** Starts a refund without an id on a service with 1,200 payments, whose history is searched by `answer`. */
async function startAmongMany(answer: Answer) {
  const newest = holding(1_200);
  const server = await scriptedServer((response, request) =>
    (isSearch(request) ? answer : newest)(response, request),
  );
  const terminal = runInTerminal(["refund", "--max-retries", "0"], {
    env: createServiceEnv(server.url),
  });
  await terminal.appears("Type part of an id");
  return { terminal, requests: server.requests };
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

  test("names the chosen payment beside the key, if the outcome is unknown", async () => {
    const options = ["--max-retries", "0"];
    const { terminal, email, books, statusOf } = await startChoosing(options, {
      answer: dropWrites,
    });
    terminal.type(`${email.slice(0, -4)} BOOKS`);
    await terminal.appears(`49.99 EUR  ${email}  visa 4242`);
    await terminal.appears(books.id);
    terminal.type(keys.enter);
    await terminal.appears("Refund 49.99 EUR?");
    terminal.type(`y${keys.enter}`);
    expect(await terminal.exitCode).toBe(9);
    expect(terminal.screen().replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`Run the same command with ${books.id} --idempotency-key [0-9a-f-]{36}: nothing`),
    );
    expect(await statusOf(books)).toBe("refunded");
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

  test("finds a payment that is older than the newest 1,000, and refunds nothing after Ctrl-C", async () => {
    const old = paymentWith({ description: "A violin", created: 1_700_000_000 });
    const { terminal, requests } = await startAmongMany(json(200, listWith([old])));
    terminal.type("violin");
    await terminal.appears("A violin");
    await terminal.appears("The whole history has been searched");
    terminal.type(keys.enter);
    await terminal.appears("Refund 49.99 EUR?");
    terminal.type(keys.controlC);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toMatch(/Error:.* Canceled; nothing was (refunded|sent)\./);
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(requests.filter(isSearch).map(({ path }) => path)).toEqual([
      "/v1/payments?limit=100&status=succeeded&search=violin",
    ]);
  });

  test("is left with Ctrl-C while the service is silent: exit 10", async () => {
    const asked = Promise.withResolvers<void>();
    const { terminal } = await startAmongMany(() => asked.resolve());
    terminal.type("violin");
    await asked.promise;
    terminal.type(keys.controlC);
    expect(await terminal.exitCode).toBe(10);
    expect(terminal.screen()).toContain("Canceled; nothing was sent.");
  });
});

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

  test("asks nothing about a payment that is refunded: exit 6", async () => {
    const payment = paymentWith({ status: "refunded" });
    const code = "payment_already_refunded";
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
