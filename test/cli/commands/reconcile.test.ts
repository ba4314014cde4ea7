import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { PaymentsClient } from "../../../src/client/client.ts";
import { startService } from "../../../src/service/server/start-service.ts";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import { json, scriptedServer, silence } from "../../testkit/client/scripted-server.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  parsePrinted,
  runPayments,
  startPayments,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { newTransaction } from "../../testkit/network/stripe-objects.ts";
import { secretKey, startStripeStandIn } from "../../testkit/network/stripe-stand-in.ts";
import { secret, startExampleAdapter } from "../../testkit/documented-examples.ts";

const service = runningService();
const live = () => createServiceEnv(service.url, service.keys.live);

function writeReport(...lines: string[]): string {
  const file = join(createTemporaryHome(), "bank.csv");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

async function reconcile(args: string[], env = live(), stdin?: string) {
  return await runPayments(["reconcile", ...args], { env, ...(stdin !== undefined && { stdin }) });
}

const header = "id,amount,currency,status";
const toRow = ({ id, amount, currency, status }: Payment) => [id, amount, currency, status].join();

describe.concurrent("payments reconcile", () => {
  const payments: Payment[] = [];
  beforeAll(async () => {
    const client = service.client({ apiKey: service.keys.live });
    for (let index = 0; index < 3; index++) payments.push(await client.payments.create(body));
  });
  const [agreeing, missing, refunded] = [
    () => toRow(payments[0] as Payment),
    () => payments[1] as Payment,
    () => payments[2] as Payment,
  ];
  const differing = () => writeReport(header, agreeing(), `${refunded().id},4999,eur,refunded`);

  test("exits with 0 where the books agree, with the CSV of the list, in a pipe too", async () => {
    const listed = await runPayments(["list", "--mode", "live", "--all", "-o", "csv"], {
      env: live(),
    });
    const ran = await reconcile(["--report", "-"], live(), listed.stdout);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toBe(
      "Compared 3 live payments with 3 lines of standard input.\n\nThe books agree.\n",
    );
  });

  test("exits with 3 where they differ: in words, with the command that would settle it", async () => {
    const ran = await reconcile(["--report", differing()]);
    expect(ran.exitCode).toBe(3);
    expect(ran.stdout).toContain("Here and not there: 1, 49.99 EUR\n");
    expect(ran.stdout).toContain("Another state: 1, 49.99 EUR here, 49.99 EUR there\n");
    expect(ran.stdout).toContain(`payments refund ${refunded().id} --mode live`);
    expect(ran.stdout).toContain("Nothing was changed.");
    expect(ran.stderr).toContain("Error: The books differ.\n");
  });

  test("names the database, account and mode in that command", async () => {
    const home = createTemporaryHome();
    const database = `sqlite:${join(home, "own.db")}`;
    const where = ["--database", database, "--mode", "test"];
    await runPayments(["migrate", "--database", database], { home });
    const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa"];
    const { id } = parsePayment(await runPayments([...create, ...where, "--json"], { home }));
    const file = writeReport(header, `${id},4999,eur,refunded`);
    const ran = await runPayments(["reconcile", "--report", file, ...where], { home });
    expect(ran.stdout).toContain(`payments refund ${id} --database ${database} --mode test`);
  });

  test("lists every difference in a pipe", async () => {
    const rows = Array.from({ length: 40 }, (_, index) => `order-${index},1,eur,Sale`);
    const file = writeReport("Ref,Sum,Cur,Kind", ...rows);
    const map = ["--map", "payment=Ref,amount=Sum,currency=Cur,type=Kind"];
    const flags = [...map, "--types", "charge=Sale", "--amounts", "minor"];
    const ran = await reconcile(["--report", file, ...flags]);
    expect(ran.stdout.match(/^order-\d+ /gm)).toHaveLength(40);
    expect(ran.stdout).toMatch(/\n\nNothing was changed\.\n$/);
  });

  test("prints one JSON object, with all differences", async () => {
    const ran = await reconcile(["--report", differing(), "--json"]);
    const printed = JSON.parse(ran.stdout) as Record<string, unknown>;
    const none = { count: 0, totals: [], data: [] };
    const here = { status: "succeeded", amount: 4999, currency: "eur" };
    expect(printed).toEqual({
      object: "reconciliation",
      livemode: true,
      from: null,
      to: null,
      agrees: false,
      payments: 3,
      lines: 2,
      passed_over: { other: 0, out_of_range: 0 },
      only_here: {
        count: 1,
        totals: [{ currency: "eur", count: 1, here: 4999, there: 0 }],
        data: [
          {
            object: "difference",
            list: "only_here",
            reason: "no_charge_there",
            payment: missing().id,
            here,
            there: null,
            command: null,
          },
        ],
      },
      only_there: none,
      another_amount: none,
      another_state: {
        count: 1,
        totals: [{ currency: "eur", count: 1, here: 4999, there: 4999 }],
        data: [
          {
            object: "difference",
            list: "another_state",
            reason: "refunded_there",
            payment: refunded().id,
            here,
            there: { type: "refund", count: 1, amount: 4999, currency: "eur", line: 3 },
            command: `payments refund ${refunded().id} --mode live`,
          },
        ],
      },
    });
  });

  test("prints a difference a line as CSV and ndjson", async () => {
    const csv = await reconcile(["--report", differing(), "-o", "csv"]);
    expect(csv.stdout.trimEnd().split("\n").slice(1)).toEqual([
      `only_here,no_charge_there,${missing().id},succeeded,4999,eur,,,,,,`,
      `another_state,refunded_there,${refunded().id},succeeded,4999,eur,refund,1,4999,eur,3,payments refund ${refunded().id} --mode live`,
    ]);
    const ndjson = await reconcile(["--report", differing(), "-o", "ndjson"]);
    const lines = ndjson.stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { list: string }).list)).toEqual([
      "only_here",
      "another_state",
    ]);
    expect(ndjson.exitCode).toBe(3);
  });

  test("exits with 2 where the file is wrong, and with 9 where it cannot be read", async () => {
    const file = writeReport(header, `${missing().id},49.99,eur,succeeded`);
    const wrong = await reconcile(["--report", file, "--json"]);
    expect(wrong.exitCode).toBe(2);
    expect(parseError(wrong)["message"]).toMatch(
      /bank\.csv:2: the column amount has decimals, but amounts in minor units have none\.$/,
    );
    expect((await reconcile(["--report", `${file}.gz`])).exitCode).toBe(9);
  });

  test("never compares test payments unless --mode says so", async () => {
    const testEnv = createServiceEnv(service.url, service.keys.test);
    const file = writeReport(header);
    const refused = await reconcile(["--report", file, "--json"], testEnv);
    expect(refused.exitCode).toBe(4);
    expect(parseError(refused)["message"]).toMatch(
      /^The mode is live, but the key .* is a test key/,
    );
    const ran = await reconcile(["--report", file, "--mode", "test", "--json"], testEnv);
    expect(parsePrinted(ran)).toMatchObject({ livemode: false, agrees: true, payments: 0 });
  });

  test("does not compare the embedded service's payments where only a test key is stored", async () => {
    const home = createTemporaryHome();
    const args = ["login", "--base-url", service.url];
    await runPayments(args, { home, stdin: service.keys.test });
    const ran = await runPayments(["reconcile", "--report", writeReport(header)], { home });
    expect(ran).toMatchObject({ stdout: "", exitCode: 4 });
    expect(ran.stderr).toContain(`There is no live key for ${service.url}, only a test key.`);
  });

  test("compares payments of a time by their creation", async () => {
    const { created } = missing();
    const before = ["--to", String(created - 1)];
    const ran = await reconcile(["--report", differing(), "--json", ...before]);
    expect(parsePrinted(ran)).toMatchObject({
      agrees: true,
      payments: 0,
      to: created - 1,
      passed_over: { out_of_range: 2 },
    });
  });

  test("ends at Ctrl-C, and prints nothing", async () => {
    const server = await scriptedServer(silence);
    const env = createServiceEnv(server.url, service.keys.live);
    const child = startPayments(["reconcile", "--report", writeReport(header)], { env });
    const ended = waitForEnd(child);
    await expect.poll(() => server.requests.length).toBe(1);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ stdout: "", exitCode: 130 });
  });
});

/** A service with the adapter of the documentation, and the settings of a command for both. */
async function openOnAdapter() {
  const url = await startExampleAdapter();
  const network = { url, secret };
  const running = await startService({ network });
  onTestFinished(async () => running.close());
  const { keys } = running;
  const client = new PaymentsClient({ baseUrl: running.url, apiKey: keys.live });
  onTestFinished(async () => client.close());
  const settings = { PAYMENTS_NETWORK: url, PAYMENTS_NETWORK_SECRET: secret };
  return { url, client, env: { ...createServiceEnv(running.url, keys.live), ...settings } };
}

const readClock = () => Math.floor(Date.now() / 1000);

describe("payments reconcile --network", () => {
  test("compares with what the adapter has moved, and finds a refund that only it made", async () => {
    const { url, client, env } = await openOnAdapter();
    const made: Payment[] = [];
    for (let index = 0; index < 12; index++) made.push(await client.payments.create(body));
    const last = await client.payments.create({ ...body, card: declining });
    const [refunded, refundedThere] = made as [Payment, Payment];
    await client.payments.refund(refunded.id);
    // Payments of the present second are not compared yet: more of them may be on their way.
    await expect.poll(readClock).toBeGreaterThan(last.created);
    const flags = ["--network", "--json"];
    const agreeing = await reconcile(flags, env);
    expect(parsePrinted(agreeing)).toMatchObject({ agrees: true, payments: 13, lines: 13 });

    await fetch(`${url}/charges/${refundedThere.id}/refund`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
    });
    const differing = await reconcile(flags, env);
    expect(differing.exitCode).toBe(3);
    expect(JSON.parse(differing.stdout)).toMatchObject({
      another_state: { count: 1, data: [{ payment: refundedThere.id, reason: "refunded_there" }] },
    });
  });

  test("compares with the balance transactions of Stripe", async () => {
    const stripe = await startStripeStandIn();
    const account = { secretKey, baseUrl: stripe.url };
    const running = await startService({ network: { stripe: account } });
    onTestFinished(async () => running.close());
    const client = new PaymentsClient({ baseUrl: running.url, apiKey: running.keys.live });
    onTestFinished(async () => client.close());
    const charged = await client.payments.create(body);
    const refunded = await client.payments.create(body);
    await client.payments.refund(refunded.id);
    stripe.account.otherTransactions.push(
      newTransaction(
        "dispute",
        { ...charged, id: "dp_1" },
        stripe.account.of(charged.id)[0] ?? null,
      ),
    );
    await expect.poll(readClock).toBeGreaterThan(refunded.created);
    const ran = await reconcile(["--network", "-o", "ndjson"], {
      ...createServiceEnv(running.url, running.keys.live),
      PAYMENTS_NETWORK: "stripe",
      PAYMENTS_STRIPE_SECRET_KEY: secretKey,
      PAYMENTS_STRIPE_BASE_URL: stripe.url,
    });
    expect(ran.exitCode).toBe(3);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      payment: charged.id,
      reason: "disputed_there",
    });
  });

  test.each([
    ["visa", "PAYMENTS_NETWORK is neither simulator, nor stripe, nor an address."],
    [
      "simulator",
      "PAYMENTS_NETWORK is simulator. The built-in simulator moves no money, so it has no books.",
    ],
  ])("names the variable where it says %s", async (name, message) => {
    const ran = await reconcile(["--network", "--json"], { ...live(), PAYMENTS_NETWORK: name });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)["message"]).toBe(message);
  });

  test("exits with 9 where the adapter offers none, and says what to do", async () => {
    const server = await scriptedServer(json(404, { outcome: "unknown" }));
    const network = { PAYMENTS_NETWORK: server.url, PAYMENTS_NETWORK_SECRET: secret };
    const ran = await reconcile(["--network", "--json"], { ...live(), ...network });
    expect(ran.exitCode).toBe(9);
    expect(parseError(ran)).toMatchObject({
      message: `The adapter at ${server.url} does not offer its transactions (HTTP 404).`,
      hint: "Compare with a file instead: --report FILE.",
    });
  });
});
