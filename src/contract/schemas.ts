import * as z from "zod";
import {
  delivery,
  deliveryDetails,
  deliveryList,
  listDeliveriesQuery,
  reportDeliveryBody,
  startListenerBody,
  takeDeliveriesBody,
  listenerDeliveryList,
} from "./delivery.ts";
import { event, eventList, listEventsQuery, resendEventBody } from "./event.ts";
import { listPaymentsQuery, paymentList } from "./list.ts";
import { listRequestsQuery, loggedRequest, requestList } from "./logged-request.ts";
import { createHostedBody, createPaymentBody, emptyBody, payment, refundBody } from "./payment.ts";
import { paymentsReport, reportQuery } from "./report.ts";
import type { ResponseName } from "./route.ts";
import type { routes } from "./routes.ts";
import {
  createEndpointBody,
  deletedEndpoint,
  endpointList,
  listEndpointsQuery,
  recoverEndpointBody,
  recovery,
  rollEndpointBody,
  updateEndpointBody,
  webhookEndpoint,
  webhookTest,
} from "./webhook-endpoint.ts";

/** The body or query that a request may carry. */
export type RequestSchemas = { body?: z.ZodType; query?: z.ZodType };

export const requestSchemas = {
  createPayment: { body: createPaymentBody },
  createHosted: { body: createHostedBody },
  listPayments: { query: listPaymentsQuery },
  getPayment: {},
  refundPayment: { body: refundBody },
  cancelPayment: { body: emptyBody },
  getAccount: {},
  reportPayments: { query: reportQuery },
  listEvents: { query: listEventsQuery },
  getEvent: {},
  resendEvent: { body: resendEventBody },
  createEndpoint: { body: createEndpointBody },
  listEndpoints: { query: listEndpointsQuery },
  getEndpoint: {},
  updateEndpoint: { body: updateEndpointBody },
  rollEndpoint: { body: rollEndpointBody },
  deleteEndpoint: {},
  listDeliveries: { query: listDeliveriesQuery },
  getDelivery: {},
  recoverEndpoint: { body: recoverEndpointBody },
  testEndpoint: { body: emptyBody },
  startListener: { body: startListenerBody },
  takeDeliveries: { body: takeDeliveriesBody },
  reportDelivery: { body: reportDeliveryBody },
  listRequests: { query: listRequestsQuery },
  getRequest: {},
} as const satisfies Record<keyof typeof routes, RequestSchemas>;

/** The account of an API key; `livemode` is the key's. */
const keyAccount = z
  .object({
    id: z.string(),
    object: z.literal("account"),
    name: z.string(),
    default_version: z.string(),
    livemode: z.boolean(),
  })
  .meta({ id: "Account" });
export type KeyAccount = z.infer<typeof keyAccount>;

/** The schema of each response to a call that succeeds. */
export const responseSchemas = {
  payment,
  paymentList,
  account: keyAccount,
  report: paymentsReport,
  event,
  eventList,
  endpoint: webhookEndpoint,
  endpointList,
  deletedEndpoint,
  delivery,
  deliveryDetails,
  deliveryList,
  recovery,
  webhookTest,
  leasedList: listenerDeliveryList,
  request: loggedRequest,
  requestList,
} satisfies Record<ResponseName, z.ZodType>;

export type Responses = {
  [Name in keyof typeof responseSchemas]: z.infer<(typeof responseSchemas)[Name]>;
};
