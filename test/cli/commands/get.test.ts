import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { body, declining, runningService } from "../../testkit/client/running-service.ts";
import { paymentWith } from "../../testkit/api-objects.ts";
import { json, scriptedServer, silence } from "../../testkit/client/scripted-server.ts";
import { createTemporaryHome } from "../../testkit/temporary.ts";
import {
  createServiceEnv,
  parseError,
  parsePayment,
  runPayments,
  startPayments,
  waitForEnd,
} from "../../testkit/command/run-payments.ts";

const service = runningService();
const missing = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";

describe.concurrent("payments get", () => {
  test("shows a payment of a running service", async () => {
    const payment = await service.client().payments.create({ ...body, description: "A book" });
    const env = createServiceEnv(service.url, service.keys.test);
    const [asJson, asText] = await Promise.all([
      runPayments(["get", payment.id, "--json"], { env }),
      runPayments(["get", payment.id], { env }),
    ]);
    expect(asJson).toEqual({ stdout: `${JSON.stringify(payment)}\n`, stderr: "", exitCode: 0 });
    expect(asText.stdout).toMatch(new RegExp(`^Payment +${payment.id}\nStatus +succeeded\n`));
    expect(asText.stdout).toContain("A book");
    expect(asText).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test("finds a payment by the end of its id, from eight characters on, in either case", async () => {
    const payment = await service.client().payments.create(body);
    const env = createServiceEnv(service.url, service.keys.test);
    for (const end of [-8, -12, -17, 4].map((from) => payment.id.slice(from))) {
      const ran = await runPayments(["get", end.toUpperCase(), "--json"], { env });
      expect([end, ran.exitCode, ran.stderr]).toEqual([end, 0, ""]);
      expect(parsePayment(ran)).toEqual(payment);
    }
    const other = await service.client().payments.create({
      ...body,
      description: payment.id.slice(-8),
    });
    const alone = await runPayments(["get", payment.id.slice(-8), "--json"], { env });
    expect(parsePayment(alone).id).toBe(payment.id);
    const waited = await runPayments(["get", other.id.slice(-10), "--wait", "--json"], { env });
    expect(parsePayment(waited).id).toBe(other.id);
  });

  test("by the end of an id that no payment has is exit 5, and by one that several have is 2 and lists them", async () => {
    const none = await runPayments(["get", "0123456789ab", "--json"], {
      env: createServiceEnv(service.url, service.keys.test),
    });
    expect(parseError(none).message).toBe("No payment has an id that ends in 0123456789ab.");
    expect(none.exitCode).toBe(5);
    const ids = ["1", "2"].map((digit) => `pay_0199c5a${digit}-7f3e-7abc-9def-0123456789ab`);
    const data = ids.map((id) => paymentWith({ id }));
    const page = { object: "list", url: "/v1/payments", data, has_more: false };
    const server = await scriptedServer(json(200, page));
    const several = await runPayments(["get", "9def-0123456789AB", "--json"], {
      env: createServiceEnv(server.url),
    });
    expect(several.exitCode).toBe(2);
    expect(parseError(several).message).toBe(
      `Several payments have this at the end of their ids: ${ids.join(", ")}.`,
    );
    expect(server.requests[0]?.path).toContain("search=9def-0123456789ab");
  });

  test.each(["1234567", "0123456789abc", "4242424242424242", "0123-456789ab", "ada_0123", "9def-"])(
    "of %s, which can be no end of an id, sends nothing and says how to search",
    async (typed) => {
      const server = await scriptedServer();
      const env = createServiceEnv(server.url);
      const ran = await runPayments(["get", typed, "--json"], { env });
      expect(ran.exitCode).toBe(2);
      expect(parseError(ran).hint).toContain("payments list --search");
      expect(server.requests).toEqual([]);
    },
  );

  test.each([
    [["--wait"], 3],
    [["--expect", "generic_decline"], 0],
    [["--expect", "succeeded", "--timeout", "1m"], 3],
  ])("with %j shows a pending payment's outcome: exit %d", async (args, exitCode) => {
    const env = createServiceEnv(service.url, service.keys.test);
    const { id } = await service.client().payments.create({ ...body, card: declining });
    const ran = await runPayments(["get", id, ...args, "--json"], { env });
    expect(ran).toMatchObject({ stdout: expect.stringContaining('"status":"failed"'), exitCode });
  });

  test("with --wait on an open page says where the customer pays, and ends when it is canceled", async () => {
    const { payments } = service.client();
    const { id, redirect_url: page } = await payments.createHosted({ amount: 1, currency: "eur" });
    const env = createServiceEnv(service.url, service.keys.test);
    const late = await runPayments(["get", id, "--wait", "--timeout", "1ms", "--json"], { env });
    expect(late).toMatchObject({
      stdout: expect.stringContaining('"status":"pending"'),
      exitCode: 8,
    });
    const started = startPayments(["get", id, "--expect", "canceled"], { env });
    const [note] = (await once(started.stderr, "data")) as [Buffer];
    expect(String(note)).toBe(`The customer pays at ${page}\n`);
    await payments.cancel(id);
    const ran = await waitForEnd(started);
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/\nDeclined +canceled\n/);
  });

  test("exits with 5 for an unknown id, with the error as text and as JSON", async () => {
    const env = createServiceEnv(service.url, service.keys.test);
    const [asText, asJson] = await Promise.all([
      runPayments(["get", missing], { env }),
      runPayments(["get", missing, "--json"], { env }),
    ]);
    expect(asText).toMatchObject({ stdout: "", exitCode: 5 });
    expect(asText.stderr).toMatch(
      new RegExp(
        [
          "^Error: There is no payment with this id in this mode\\. .+",
          "  hint: payments logs get req_[0-9a-f-]{36}",
          "  code: resource_missing",
          "  param: id",
          "  request: req_[0-9a-f-]{36}",
          `  see: ${service.url}/docs/errors#resource_missing\n$`,
        ].join("\n"),
      ),
    );
    expect(asJson.exitCode).toBe(5);
    expect(parseError(asJson)).toEqual({
      type: "invalid_request_error",
      code: "resource_missing",
      message: expect.stringMatching(/^There is no payment/) as unknown,
      param: "id",
      decline_code: null,
      doc_url: `${service.url}/docs/errors#resource_missing`,
      request_id: expect.stringMatching(/^req_[0-9a-f-]{36}$/) as unknown,
      http_status: 404,
      retryable: false,
      idempotency_key: null,
      hint: null,
    });
  });

  test("links the embedded service's errors to a file that exists", async () => {
    const { doc_url } = parseError(await runPayments(["get", missing, "--json"]));
    const page = new URL(String(doc_url));
    expect(page.protocol).toBe("file:");
    expect(readFileSync(page, "utf8")).toContain(`id="${page.hash.slice(1)}"`);
  });
});

test("payments get --wait gives up on a service that does not answer, retries included", async () => {
  const server = await scriptedServer(silence);
  const id = "pay_0199c5a8-7f3e-7abc-9def-0123456789ab";
  const waiting = ["get", id, "--wait", "--timeout", "300ms", "--request-timeout", "400ms"];
  const ran = await runPayments([...waiting, "--max-retries", "5", "--json"], {
    env: createServiceEnv(server.url),
  });
  expect(ran).toMatchObject({ stdout: "", exitCode: 9 });
  expect(parseError(ran)).toMatchObject({
    code: "connection_failed",
    message: "The service did not answer in the time to wait.",
  });
});

test("payments get shows the final status of a payment whose command was killed while it was pending", async () => {
  const home = createTemporaryHome();
  const create = ["create", "--amount", "1", "--currency", "eur", "--test-card", "expired-card"];
  const child = startPayments([...create, "--wait", "--debug"], { home });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += String(chunk)));
  await expect.poll(() => stderr).toContain("< 201");
  child.kill("SIGKILL");
  // A process killed while it settled the payment has a lease of 2 s.
  const [id = ""] = /pay_[0-9a-f-]+/.exec(stderr) ?? [];
  const read = async () => parsePayment(await runPayments(["get", id, "--json"], { home }));
  await expect.poll(read).toMatchObject({ status: "failed", decline_code: "expired_card" });
});
