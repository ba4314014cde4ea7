import type { FastifyInstance, FastifyReply } from "fastify";
import { atBank, progressHeader } from "../../contract/route.ts";
import { authenticate } from "../accounts/authenticate.ts";
import { getAccount } from "../accounts/manage-accounts.ts";
import { cancelPayment } from "../checkout/cancel-payment.ts";
import { createHostedPayment } from "../checkout/create-hosted-payment.ts";
import { createPayment } from "../payments/create-payment.ts";
import { findChallengeStart, getPayment, listPayments } from "../payments/get-payment.ts";
import { refundPayment } from "../payments/refund-payment.ts";
import { getReport } from "../reports/get-report.ts";
import { getRequest, listRequests } from "../requests/list-requests.ts";
import type { Service } from "../service.ts";
import { getDelivery, listDeliveries } from "../webhooks/deliveries.ts";
import { getEvent, listEvents, resendEvent } from "../webhooks/event-log.ts";
import { startListener, takeDeliveries } from "../webhooks/listen.ts";
import { getEndpoint, listEndpoints } from "../webhooks/find-endpoints.ts";
import {
  createEndpoint,
  deleteEndpoint,
  rollEndpoint,
  updateEndpoint,
} from "../webhooks/manage-endpoints.ts";
import { reportDelivery } from "../webhooks/report-delivery.ts";
import { recoverEndpoint } from "../webhooks/recover-endpoint.ts";
import { testEndpoint } from "../webhooks/test-endpoint.ts";
import { type ApiRequest, createRouteKinds } from "./answer-route.ts";

/**
 * The API: the use case of each route of the contract, which is given the parsed request. A route answers with a write,
 * a list or one object.
 */
export function registerApiRoutes(app: FastifyInstance, service: Service): void {
  const { write, list, one } = createRouteKinds(app, service);

  write("createPayment", (r) => createPayment(service, r.scope, r.body, r.key));
  write("createHosted", (r) => createHostedPayment(service, r.scope, r.body, r.key));
  list("listPayments", (r) => listPayments(service, r.scope, r.query));
  one("getPayment", async (r) => getPaymentWithProgress(service, r));
  write("refundPayment", (r) => refundPayment(service, r.scope, r.id, r.key, r.actor));
  write("cancelPayment", (r) => cancelPayment(service, r.scope, r.id, r.key, r.actor));

  one("getAccount", (r) => getAccount(service, r.scope));
  one("reportPayments", (r) => getReport(service, r.scope, r.query));

  list("listEvents", (r) => listEvents(service, r.scope, r.query));
  one("getEvent", (r) => getEvent(service, r.scope, r.id));
  write("resendEvent", (r) => resendEvent(service, r.scope, r, r.key, r.actor));

  write("createEndpoint", (r) => createEndpoint(service, r.scope, r.body, r.key, r.actor));
  list("listEndpoints", (r) => listEndpoints(service, r.scope, r.query));
  one("getEndpoint", (r) => getEndpoint(service, r.scope, r.id));
  write("updateEndpoint", (r) => updateEndpoint(service, r.scope, r, r.key, r.actor));
  write("rollEndpoint", (r) => rollEndpoint(service, r.scope, r, r.key, r.actor));
  one("deleteEndpoint", (r) => deleteEndpoint(service, r.scope, r.id, r.actor));
  list("listDeliveries", (r) => listDeliveries(service, r.scope, r.id, r.query));
  one("getDelivery", (r) => getDelivery(service, r.scope, r));
  write("recoverEndpoint", (r) => recoverEndpoint(service, r.scope, r, r.key, r.actor));
  write("testEndpoint", (r) => testEndpoint(service, r.scope, r.id, r.key, r.actor));

  list("listRequests", (r) => listRequests(service, r.scope, r.query));
  one("getRequest", (r) => getRequest(service, r.scope, r.id));

  // Of `payments listen`. A listener that has disconnected leases no delivery, so that another one can.
  one("startListener", (r) => startListener(service, r.scope, r, createGoneSignal(r.reply)));
  list("takeDeliveries", async (r) => takeLeased(service, r));
  one("reportDelivery", (r) => reportDelivery(service, r.scope, r));
}

/** A payment, and in a header whether its customer is at the bank. */
async function getPaymentWithProgress(
  service: Service,
  { scope, id, reply }: ApiRequest<"getPayment">,
) {
  const payment = await getPayment(service, scope, id);
  const sinceMs = await findChallengeStart(service, scope, payment);
  if (sinceMs !== null) reply.header(progressHeader, atBank);
  return payment;
}

async function takeLeased(service: Service, { reply, ...request }: ApiRequest<"takeDeliveries">) {
  const { authorization } = reply.request.headers;
  const items = await takeDeliveries(service, request.scope, request, {
    gone: createGoneSignal(reply),
    checkKey: async () => authenticate(service, authorization),
  });
  reply.request.wroteNothing = items.length === 0;
  return { items, hasMore: false };
}

/** Aborted when the client has gone. */
function createGoneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}
