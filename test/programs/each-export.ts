// A program that uses every export of the package: the tests install the package beside it, compile it and run it.
import {
  ApiError,
  checkWebhookReceiver,
  CheckoutError,
  ConnectionError,
  InterruptedError,
  ModeMismatchError,
  NotSentError,
  PaymentsClient,
  PaymentsError,
  ReceiverError,
  UnexpectedAnswerError,
  verifyWebhook,
  WebhookVerificationError,
} from "payments-cli/client";
import type * as client from "payments-cli/client";
import { startService } from "payments-cli/service";
import type * as service from "payments-cli/service";

/** The types that a program sends. */
export type Requests = [
  client.CallOptions,
  client.CheckReceiverOptions,
  client.ClientOptions,
  client.CreateEndpoint,
  client.CreateHosted,
  client.CreatePayment,
  client.FaultInput,
  client.ListAllDeliveriesQuery,
  client.ListDeliveriesQuery,
  client.ListEndpointsQuery,
  client.ListEventsQuery,
  client.ListPaymentsQuery,
  client.ListRequestsQuery,
  client.PayOptions,
  client.RecoverEndpointBody,
  client.RefundOptions,
  client.ReportQuery,
  client.RollEndpoint,
  client.SettledOptions,
  client.Transport,
  client.TransportAnswer,
  client.TransportRequest,
  client.UpdateEndpoint,
  client.WriteOptions,
  service.EventWait,
  service.NetworkSettings,
  service.SandboxOptions,
  service.ServeSettings,
];

/** The types that a program gets. */
export type Responses = [
  client.Card,
  client.DeclineCode,
  client.DeletedEndpoint,
  client.Delivery,
  client.DeliveryDetails,
  client.DeliveryList,
  client.DeliveryTry,
  client.EndpointList,
  client.ErrorCode,
  client.Event,
  client.EventList,
  client.EventType,
  client.KeyAccount,
  client.LoggedRequest,
  client.Payment,
  client.PaymentEvent,
  client.PaymentList,
  client.PaymentStatus,
  client.PaymentsReport,
  client.PromiseResult,
  client.ReceiverCheck,
  client.Recovery,
  client.ReportRow,
  client.RequestList,
  client.SandboxFault,
  client.SandboxRequest,
  client.TestEvent,
  client.UnknownEvent,
  client.WebhookCheck,
  client.WebhookEndpoint,
  client.WebhookHeaders,
  client.WebhookTest,
  service.RunningSandbox,
  service.RunningService,
  service.SandboxAccount,
];

const running: service.RunningService = await startService();
const payments = new PaymentsClient({ baseUrl: running.url, apiKey: running.keys.test });
const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };

const body: client.CreatePayment = { amount: 4999, currency: "eur", card };
const payment: client.Payment = await payments.payments.create(body);
const statuses: client.PaymentStatus[] = [];
for await (const { status } of payments.payments.all({ limit: 1 })) statuses.push(status);
const missing = await catchError(payments.payments.retrieve("pay_x"));
await payments.payments.refund(payment.id);
const again = await catchError(payments.payments.refund(payment.id));
if (!(missing instanceof ApiError) || !(again instanceof ApiError)) throw new Error("no ApiError");
if (!(missing instanceof PaymentsError)) throw new Error("no PaymentsError");
await payments.close();
const closed = await catchError(payments.payments.list());
await running.close();

const nowhere = new PaymentsClient({
  baseUrl: running.url,
  apiKey: running.keys.test,
  maxRetries: 0,
});
const lost = await catchError(nowhere.payments.list());
await nowhere.close();
const kinds = [CheckoutError, ConnectionError, InterruptedError, ModeMismatchError];
const others = [NotSentError, UnexpectedAnswerError];

const unchecked = await catchError(
  checkWebhookReceiver({ client: nowhere, url: running.url, secret: "whsec_AAAA" }),
);
if (unchecked instanceof ReceiverError) throw new Error("the service was asked");

const sandboxed: service.SandboxOptions = { sandbox: true, clock: "manual", unref: true };
await using sandbox: service.RunningSandbox = await startService(sandboxed);
const moved = await sandbox.advance("25h");
await using customer = new PaymentsClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.test });
const succeeded: service.EventWait = { type: "payment.succeeded", apiKey: sandbox.keys.test };
const waiting: Promise<client.PaymentEvent> = sandbox.waitForEvent(succeeded);
const sold = await customer.payments.create(body);
const isOfSale = (await waiting).data.object.id === sold.id;
const network: service.NetworkSettings = { stripe: { secretKey: "sk_test_none" } };
const withoutStripe = await catchError(startService({ network }));

console.log(
  JSON.stringify({
    statuses: [payment.status, ...statuses],
    codes: [missing.code, again.code],
    lost: [...kinds, ...others].filter((kind) => lost instanceof kind).map(({ name }) => name),
    closed: closed instanceof PaymentsError,
    webhook: checkWebhook(),
    clock: moved.mode,
    isOfSale,
    withoutStripe: withoutStripe.message,
  }),
);

/** Each comparison with a known type narrows the event; what is left may have any type. */
export function describeEvent(event: client.Event): string {
  const { type, sequence }: { type: string; sequence: number } = event;
  switch (event.type) {
    case "payment.pending":
    case "payment.succeeded":
    case "payment.refunded":
      return event.data.object.currency;
    case "payment.failed":
      return event.data.object.decline_code ?? "";
    case "webhook.test":
      return event.data.object.url ?? "";
    default: {
      const unknown: client.UnknownEvent = event;
      return `${type} ${sequence} ${unknown.data.object.id}`;
    }
  }
}

function checkWebhook(): client.Event["type"] | client.WebhookCheck | undefined {
  const headers: client.WebhookHeaders = new Headers({ "webhook-id": "evt_1" });
  try {
    return verifyWebhook("{}", headers, running.keys.test).type;
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.check : undefined;
  }
}

async function catchError(call: Promise<unknown>): Promise<Error> {
  return await call.then(
    () => new Error("The call succeeded."),
    (error: unknown) => error as Error,
  );
}
