import { describe, expect, test } from "vitest";
import {
  type ScriptedServer,
  drop,
  holding,
  json,
  refusal,
  scriptedServer,
} from "../../testkit/client/scripted-server.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  parsePayment,
  runPayments,
  type Ran,
} from "../../testkit/command/run-payments.ts";

const payment = paymentWith();
const card = ["--card-number", "4242 4242 4242 4242", "--exp-month", "12", "--exp-year", "2040"];
const create = ["create", "--amount", "4999", "--currency", "eur", ...card, "--cvc", "918"];
const order = ["--idempotency-key", "order-1001"];
const soon = { "retry-after": "0" };

/** The lines of standard error that begin with this mark. */
function filterLines(start: string, { stderr }: Ran): string[] {
  return stderr.split("\n").filter((line) => line.startsWith(start));
}

/** The parts of the output that identify a card or a key. */
function findSecrets({ stdout, stderr }: Ran): string[] {
  const output = (stdout + stderr).replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "");
  return output.match(/4242[ -]?4242|"918"|_sk_[A-Za-z0-9]/g) ?? [];
}

describe.concurrent("--debug", () => {
  test("shows every request and response of a service, key and card masked", async () => {
    const server = await scriptedServer(
      refusal(503, "service_unavailable", soon),
      drop,
      json(201, payment, { "x-request-id": "req_3" }),
    );
    const env = createServiceEnv(server.url);
    const ran = await runPayments([...create, ...order, "--debug"], { env });
    expect(ran.exitCode).toBe(0);
    expect(server.requests).toHaveLength(3);
    expect(server.requests[0]?.body).toContain('"4242424242424242"');

    const url = `> POST ${server.url}/v1/payments`;
    expect(filterLines("> POST", ran)).toEqual([url, url, url]);
    expect(filterLines("> authorization", ran)[2]).toBe("> authorization: Bearer svc_test_sk_…");
    expect(filterLines("> idempotency-key", ran)[2]).toBe("> idempotency-key: order-1001");
    expect(filterLines('> {"amount":4999', ran)[2]).toContain('"number":"…4242"');
    expect(ran.stderr).toMatch(/\n< 503 after \d+ ms\n/);
    expect(ran.stderr).toMatch(/\n< no answer after \d+ ms: .+\n/);
    expect(ran.stderr).toMatch(/\n< 201 after \d+ ms\n/);
    expect(filterLines("< x-request-id", ran)).toEqual(["< x-request-id: req_3"]);
    expect(filterLines('< {"id"', ran)).toEqual([`< ${JSON.stringify(payment)}`]);
    expect(findSecrets(ran)).toEqual([]);
  });

  test("shows every request and response of the embedded service", async () => {
    const home = createTemporaryHome();
    const ran = await runPayments([...create, ...order, "--json", "--debug"], { home });
    expect(ran.exitCode).toBe(0);
    expect(filterLines(">", ran)).toEqual([
      "> POST embedded:/v1/payments",
      "> authorization: Bearer svc_test_sk_…",
      "> content-type: application/json",
      "> idempotency-key: order-1001",
      expect.stringContaining('"number":"…4242"') as unknown,
    ]);
    expect(ran.stderr).toMatch(/\n< 201 after \d+ ms\n/);
    expect(filterLines('< {"id"', ran)).toEqual([`< ${ran.stdout.trimEnd()}`]);
    expect(findSecrets(ran)).toEqual([]);
    const found = await runPayments([...create, ...order, "--json"], { home });
    expect(parsePayment(found)).toEqual(JSON.parse(ran.stdout));
  });

  test.each(["ndjson", "table"])("does not change the data, as %s", async (format) => {
    const server = await scriptedServer(holding(120));
    const args = ["list", "--all", "-o", format];
    const [quiet, talking] = await Promise.all([
      runPayments(args, { env: createServiceEnv(server.url) }),
      runPayments([...args, "--debug"], { env: createServiceEnv(server.url) }),
    ]);
    expect(quiet.stderr).toBe("");
    expect(talking.stdout).toBe(quiet.stdout);
    expect(filterLines("> GET", talking)).toEqual(pagesOf(server));
  });
});

/** The requests for the two pages, each once by either command. */
function pagesOf({ url, requests }: ScriptedServer): string[] {
  return [...new Set(requests.map(({ path }) => path))]
    .toSorted((one, other) => one.length - other.length)
    .map((path) => `> GET ${url}${path}`);
}
