import { describe, expect, test } from "vitest";
import { PaymentsClient } from "../../src/client/client.ts";
import { body } from "../testkit/client/running-service.ts";
import { paymentWith } from "../testkit/api-objects.ts";
import { type Answer, json, scriptedServer, text } from "../testkit/client/scripted-server.ts";

async function clientOf(answer: Answer, apiKey = "svc_test_sk_key") {
  const server = await scriptedServer(answer);
  const client = new PaymentsClient({ apiKey, baseUrl: server.url, maxRetries: 2 });
  return { payments: client.payments, server };
}

describe("a response that is not from the payments API", () => {
  const page = paymentWith();
  test.each<[string, number, Answer]>([
    ["a web page", 200, text(200, "<html>Welcome</html>", { "content-type": "text/html" })],
    ["nothing", 200, text(200, "")],
    ["half of the JSON", 200, text(200, JSON.stringify(page).slice(0, -20))],
    ["null", 200, json(200, null)],
    ["another object", 200, json(200, { ok: true })],
    ["an amount with a fraction", 200, json(200, { ...page, amount: 49.99 })],
    ["a page that says it is not found", 404, text(404, "<h1>Not Found</h1>")],
    ["an error of another API", 400, json(400, { error: "bad" })],
  ])("is an UnexpectedAnswerError, and final: %s", async (_, status, answer) => {
    const { payments, server } = await clientOf(answer);
    await expect(payments.create(body, { idempotencyKey: "k" })).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
      status,
      retryable: false,
      idempotencyKey: "k",
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each([301, 307])("is a redirect (%d): it is not followed", async (status) => {
    const elsewhere = await scriptedServer(json(200, paymentWith()));
    const { payments } = await clientOf(text(status, "", { location: `${elsewhere.url}/v1/x` }));
    await expect(payments.create(body)).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
      status,
      message: expect.stringContaining("redirect") as unknown,
    });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("a response about another payment", () => {
  test("is not returned", async () => {
    const { payments } = await clientOf(json(200, paymentWith({ id: "pay_2" })));
    await expect(payments.retrieve("pay_1")).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
      status: 200,
      retryable: false,
      outcomeUnknown: false,
    });
  });

  test("leaves the outcome of a refund unknown, with its key", async () => {
    const { payments, server } = await clientOf(
      json(200, paymentWith({ id: "pay_2", status: "refunded" })),
    );
    await expect(payments.refund("pay_1", { idempotencyKey: "k" })).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
      idempotencyKey: "k",
      outcomeUnknown: true,
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("a payment of the other mode", () => {
  test.each([
    ["test", true],
    ["live", false],
  ])("is refused where the key is a %s key", async (mode, livemode) => {
    const { payments } = await clientOf(json(200, paymentWith({ livemode })), `svc_${mode}_sk_key`);
    await expect(payments.retrieve("pay_1")).rejects.toMatchObject({
      name: "ModeMismatchError",
      retryable: false,
      paymentId: undefined,
    });
  });

  test("is named in the error if a write has made it", async () => {
    const payment = paymentWith({ livemode: true });
    const { payments, server } = await clientOf(json(201, payment));
    await expect(payments.create(body, { idempotencyKey: "k" })).rejects.toMatchObject({
      name: "ModeMismatchError",
      paymentId: payment.id,
      message: expect.stringContaining(payment.id) as unknown,
      idempotencyKey: "k",
    });
    expect(server.requests).toHaveLength(1);
  });

  test("anywhere in a list makes the list an error", async () => {
    const data = [paymentWith(), paymentWith({ livemode: true })];
    const { payments } = await clientOf(
      json(200, { object: "list", url: "/v1/payments", data, has_more: false }),
    );
    await expect(payments.list()).rejects.toMatchObject({ name: "ModeMismatchError" });
  });
});
