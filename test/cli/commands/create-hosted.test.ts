import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Payment } from "../../../src/contract/payment.ts";
import { runningService } from "../../testkit/client/running-service.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { holding, json, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import { requireTerminals, runProgramInTerminal } from "../../testkit/command/in-terminal.ts";
import {
  createServiceEnv,
  parseError,
  launcher,
  parsePrinted,
  parsePayment,
  waitForEnd,
  runInNewProcess,
  runPayments,
  startPayments,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
const hosted = ["create", "--hosted"];
const order = [...hosted, "--amount", "4999", "--currency", "eur"];

function env(mode: "test" | "live" = "test") {
  return createServiceEnv(service.url, service.keys[mode]);
}

/** Submits the form of a page as the customer's browser does. */
async function submitForm(page: string, fields: Record<string, string>): Promise<void> {
  const body = new URLSearchParams(fields);
  const answer = await fetch(page, { method: "POST", body, redirect: "manual" });
  expect(answer.status).toBe(303);
}
const card = (number: string) => ({ number, expiry: "12/40", cvc: "123", name: "Ada Lovelace" });

describe.concurrent("payments create --hosted", () => {
  test("prints exactly the payment, with the address of its page", async () => {
    const ran = await runPayments([...order, "--description", "Two books", "--json"], {
      env: env(),
    });
    expect(ran.exitCode).toBe(0);
    const payment = parsePayment(ran);
    expect(payment).toMatchObject({ status: "pending", card: null, description: "Two books" });
    expect(payment.redirect_url).toMatch(new RegExp(`^${service.url}/pay/[0-9A-Za-z]{22,}$`));
    const page = await fetch(payment.redirect_url ?? "");
    expect(await page.text()).toContain("Two books");
    const got = await runPayments(["get", payment.id, "--json"], { env: env() });
    expect(payment).toEqual(parsePrinted(got));
  });

  test("sends the flags' values, without a card, to the route for hosted payments", async () => {
    const server = await scriptedServer(json(201, paymentWith({ status: "pending" })));
    const more = ["--email", "ada@example.com", "--metadata", "order_id=1001"];
    const back = ["--return-url", "https://shop.example/thanks"];
    const ran = await runPayments([...order, ...more, ...back, "--json"], {
      env: createServiceEnv(server.url),
    });
    expect(ran.exitCode).toBe(0);
    expect(server.requests).toMatchObject([{ method: "POST", path: "/v1/payments/hpp" }]);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({
      amount: 4999,
      currency: "eur",
      customer: { email: "ada@example.com" },
      metadata: { order_id: "1001" },
      return_url: "https://shop.example/thanks",
    });
  });
});

test.concurrent.each([["--wait"], ["--dry-run"]])(
  "payments create --hosted is a usage error on the embedded service: the hint names the command to start one (%s)",
  async (more) => {
    const home = createTemporaryHome();
    const ran = await runPayments([...order, more, "--json"], { home });
    expect(ran.exitCode).toBe(2);
    const { message, hint } = parseError(ran);
    expect(message).toMatch(/^A payment page needs a running service/);
    expect(hint).toContain("payments sandbox, then payments login --sandbox");
    expect(hint).toContain("payments serve");
    expect(hint).toContain("payments login --base-url http://127.0.0.1:8402");
    const listed = await runPayments(["list", "--json"], { home });
    expect(parsePrinted(listed)).toMatchObject({ data: [] });
  },
);

describe.concurrent("payments create --hosted --wait", () => {
  test.each([
    ["4000000000009995", ["--expect", "insufficient_funds"], 0, "failed"],
    [undefined, ["--expect", "customer_canceled"], 0, "failed"],
  ] as const)(
    "waits for the customer's card %s, %j: exit %d",
    async (number, more, code, status) => {
      const child = startPayments([...order, "--wait", ...more], { env: env() });
      const [notes] = (await once(child.stderr, "data")) as [Buffer];
      const page = /^The customer pays at (\S+)\n$/.exec(String(notes))?.[1] ?? "";
      await (number ? submitForm(page, card(number)) : submitForm(`${page}/cancel`, {}));
      const ran = await waitForEnd(child);
      expect(ran.exitCode).toBe(code);
      expect(ran.stdout).toMatch(new RegExp(`^Status +${status}$`, "m"));
    },
  );

  test("prints the address once with --print-url, before the customer has paid", async () => {
    const child = startPayments([...order, "--wait", "--print-url", "--json"], { env: env() });
    const notes: string[] = [];
    child.stderr.on("data", (chunk) => notes.push(String(chunk)));
    await once(child.stderr, "data");
    const page = /^(http\S+)\n$/.exec(notes.join(""))?.[1] ?? "";
    await submitForm(page, card("4242424242424242"));
    const { exitCode, stdout } = await waitForEnd(child);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("succeeded");
    expect(notes.join("")).toBe(`${page}\n`);
  });

  test("exits with 8 if the customer does not pay in time, and prints the payment", async () => {
    const args = [...order, "--wait", "--timeout", "200ms", "--json"];
    const ran = await runPayments(args, { env: env() });
    expect(ran.exitCode).toBe(8);
    expect((JSON.parse(ran.stdout) as Payment).status).toBe("pending");
    expect(ran.stderr).toMatch(/^\{"error":\{[^\n]+\}\n$/); // and no address, where a machine reads
  });
});

describe.concurrent("a customer whose bank asks for a confirmation", () => {
  const atBank = "The customer is at the bank, which asks for a confirmation.\n";
  const back = "The customer is no longer at the bank.\n";

  test.each([
    ["approve", 0, "succeeded"],
    ["decline", 3, "failed"],
  ])("is said to be there, and then no longer: %s", async (decision, code, status) => {
    const child = startPayments([...order, "--wait"], { env: env() });
    let said = "";
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    await vi.waitFor(() => expect(said).toMatch(/http\S+\n/), 30_000);
    const [page = ""] = /http\S+/.exec(said) ?? [];
    await submitForm(page, card("4000002760003184"));
    await vi.waitFor(() => expect(said).toContain(atBank), 30_000);
    await submitForm(`${page}/challenge`, { decision });
    const ran = await waitForEnd(child);
    expect(ran.exitCode).toBe(code);
    expect(ran.stdout).toMatch(new RegExp(`^Status +${status}$`, "m"));
    expect(said).toMatch(`The customer pays at ${page}\n${atBank}${back}`);
  });

  const pending = paymentWith({ status: "pending", redirect_url: "https://pay.test/pay/token" });
  const there = json(200, pending, { "payment-progress": "at_bank" });
  const elsewhere = json(200, pending, { "payment-progress": "elsewhere" });
  const answers = [
    json(201, pending),
    elsewhere,
    there,
    there,
    elsewhere,
    json(200, paymentWith()),
  ];

  test("is said to be there once, however often the service says so", async () => {
    const server = await scriptedServer(holding(0), ...answers);
    const ran = await runPayments([...order, "--wait"], { env: createServiceEnv(server.url) });
    const page = `The customer pays at ${pending.redirect_url}\n`;
    expect(ran).toMatchObject({ exitCode: 0, stderr: page + atBank + back });
    expect(server.requests).toHaveLength(1 + answers.length);
  });

  test.each(["json", "ndjson"])("is not mentioned where a machine reads: -o %s", async (format) => {
    const server = await scriptedServer(holding(0), ...answers);
    const args = [...order, "--wait", "-o", format];
    const ran = await runPayments(args, { env: createServiceEnv(server.url) });
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
    expect(parsePayment(ran)).toEqual(paymentWith());
    expect(server.requests).toHaveLength(1 + answers.length);
  });
});

describe.concurrent("in a terminal payments create --hosted", () => {
  requireTerminals();

  test("shows the address also beside JSON, and how long it waits", async () => {
    const file = join(createTemporaryHome(), "payment.json");
    const args = [launcher, ...order, "--wait", "--json"];
    const terminal = runProgramInTerminal(args, { env: env(), stdoutTo: file });
    await terminal.appears("The customer pays at ");
    await terminal.appears("\n");
    const [page = ""] = /http\S+/.exec(terminal.screen()) ?? [];
    await submitForm(page, card("4242424242424242"));
    expect(await terminal.exitCode).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ status: "succeeded" });
  });

  test("is waited for by get as a page, also where the key may not read its address", async () => {
    const page = paymentWith({ status: "pending", card: null, redirect_url: null });
    const { url } = await scriptedServer(json(200, page));
    const args = [launcher, "get", page.id, "--wait", "--timeout", "0ms"];
    const terminal = runProgramInTerminal(args, { env: createServiceEnv(url) });
    await terminal.appears("Waiting up to 0ms for the customer to pay");
    expect(await terminal.exitCode).toBe(8);
  });
});

describe.concurrent("payments create --hosted --open", () => {
  test("notes that no browser could be started, and still succeeds", async () => {
    const none = { ...env(), BROWSER: "/none", PATH: "/none" };
    const ran = await runPayments([...order, "--open"], { env: none });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^Page +http/m);
    expect(ran.stderr).toBe("No browser could be started: open the page's address yourself.\n");
  });

  test("does not wait for the browser to be closed", async () => {
    const home = createTemporaryHome();
    const browser = join(home, "browser");
    const pidFile = join(home, "pid");
    writeFileSync(
      browser,
      `#!/bin/sh\necho $$ > '${pidFile}.part'; mv '${pidFile}.part' '${pidFile}'; exec sleep 600\n`,
      { mode: 0o755 },
    );
    const options = { env: { ...env(), BROWSER: browser } };
    const ran = await runInNewProcess([...order, "--open"], options);
    expect(ran).toMatchObject({ stderr: "", exitCode: 0 });
    const pid = await vi.waitFor(() => readFileSync(pidFile, "utf8"), 30_000);
    process.kill(Number(pid)); // it is still there
  });
});
