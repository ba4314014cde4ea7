import { describe, expect, test } from "vitest";
import { body, runningService } from "../../testkit/client/running-service.ts";
import { forward, forwardAndDrop, scriptedServer } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/command/temporary-home.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  runPayments,
} from "../../testkit/command/run-payments.ts";

const service = runningService({ processingTimeMs: 60_000 });
const create = ["create", "--amount", "4999", "--currency", "eur", "--test-card", "visa", "--json"];

async function refund(...args: string[]) {
  return await runPayments(["refund", ...args], {
    env: createServiceEnv(service.url, service.keys.test),
  });
}

describe.concurrent("payments refund", () => {
  test("refunds a payment on the embedded service", async () => {
    const home = createTemporaryHome();
    const { id } = parsePayment(await runPayments(create, { home }));
    const ran = await runPayments(["refund", id, "--yes", "--json"], { home });
    expect(ran.exitCode).toBe(0);
    const refunded = parsePayment(ran);
    expect(refunded).toMatchObject({ id, status: "refunded" });
    expect(refunded.refunded_at).toBeTypeOf("number");
    const found = await runPayments(["get", id, "--json"], { home });
    expect(found.stdout).toBe(ran.stdout);
  });

  test("shows the payment on standard error, and the refunded one on standard output", async () => {
    const { id } = await service.client().payments.create(body);
    const { stdout, stderr, exitCode } = await refund(id, "--yes");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(new RegExp(`^Payment +${id}\nStatus +succeeded\n`));
    expect(stdout).toMatch(new RegExp(`^Payment +${id}\nStatus +refunded\n`));
    expect(stdout).toMatch(/\nRefunded +2/);
  });

  test("requires an id as an argument, even if standard input holds one", async () => {
    const { payments } = service.client();
    const { id } = await payments.create(body);
    const env = createServiceEnv(service.url, service.keys.test);
    const ran = await runPayments(["refund", "--yes", "--json"], { env, stdin: `${id}\n` });
    expect(ran.exitCode).toBe(2);
    expect(parseError(ran)).toMatchObject({ message: "Missing the id of the payment." });
    expect((await payments.retrieve(id)).status).toBe("succeeded");
  });

  test("exits with 6 if the payment is already refunded", async () => {
    const { payments } = service.client();
    const { id } = await payments.create(body);
    await payments.refund(id);
    const ran = await refund(id, "--yes", "--json");
    expect(ran.exitCode).toBe(6);
    expect(parseError(ran)).toMatchObject({ code: "payment_already_refunded", http_status: 422 });
  });

  test("refunds once, even if responses are lost", async () => {
    const { id } = await service.client().payments.create(body);
    const server = await scriptedServer(
      forward(service.url),
      forwardAndDrop(service.url),
      forward(service.url),
    );
    const env = createServiceEnv(server.url, service.keys.test);
    const ran = await runPayments(["refund", id, "--yes", "--json"], { env });
    expect(parsePayment(ran).status).toBe("refunded");
    const [read, ...writes] = server.requests;
    expect(read?.method).toBe("GET");
    expect(writes.map(({ path }) => path)).toEqual(Array(2).fill(`/v1/payments/${id}/refund`));
    expect(new Set(writes.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });

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
