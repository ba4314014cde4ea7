/// <reference lib="esnext.disposable" />
// The work of a test suite with the package, in every runner: a sandbox in its process, a payment, its webhook, an error.
import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import {
  ApiError,
  PaymentsClient,
  PaymentsError,
  verifyWebhook,
  WebhookVerificationError,
} from "payments-cli/client";
import { startService } from "payments-cli/service";

const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };

export const expected = {
  status: "succeeded",
  event: "payment.succeeded",
  isDelivered: true,
  saysWhatCame: true,
  code: "payment_already_refunded",
  isCaughtByClass: true,
  check: "secret",
};

export async function tryPackage() {
  await using sandbox = await startService({ sandbox: true });
  await using client = new PaymentsClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.test });
  const receiver = createServer();
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const url = `http://127.0.0.1:${receiver.address().port}/hooks`;
  const { secret } = await client.webhookEndpoints.create({ url, events: ["payment.succeeded"] });

  const arriving = once(receiver, "request");
  const payment = await client.payments.create({ amount: 4999, currency: "eur", card });
  const [request, response] = await arriving;
  const body = await buffer(request);
  response.end();
  const event = verifyWebhook(body, request.headers, secret);
  if (event.data.object.id !== payment.id) throw new Error("another payment's webhook");
  const type = "payment.succeeded";
  const wait = { type, payment: payment.id, delivered: true, timeoutMs: 60_000 };
  const delivered = await sandbox.waitForEvent(wait);
  const late = await sandbox.waitForEvent({ payment: "pay_none", timeoutMs: 1 }).catch(String);
  const forged = catchError(() => verifyWebhook(body, request.headers, "no secret"));

  const signal = AbortSignal.timeout(60_000);
  await client.payments.refund(payment.id, { signal });
  const refused = await client.payments.refund(payment.id).catch((error) => error);
  receiver.close();
  return {
    status: payment.status,
    event: event.type,
    isDelivered: delivered.id === event.id,
    saysWhatCame: late.includes(`What came last: payment.succeeded of ${payment.id}`),
    code: refused.code,
    isCaughtByClass:
      refused instanceof ApiError &&
      refused instanceof PaymentsError &&
      refused instanceof Error &&
      forged instanceof WebhookVerificationError,
    check: forged.check,
  };
}

function catchError(call) {
  try {
    return call();
  } catch (error) {
    return error;
  }
}
