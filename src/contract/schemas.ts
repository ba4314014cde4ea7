import type * as z from "zod";
import {
  delivery,
  deliveryList,
  listDeliveriesQuery,
  reportDeliveryBody,
  startListenerBody,
  takeDeliveriesBody,
  listenerDeliveryList,
} from "./delivery.ts";
import { event, eventList, listEventsQuery, resendEventBody } from "./event.ts";
import { createHostedBody } from "./hosted.ts";
import { keyAccount } from "./key-account.ts";
import { listPaymentsQuery, paymentList } from "./list-object.ts";
import { createPaymentBody, payment, refundPaymentBody } from "./payment.ts";
import type { Answers, routes } from "./routes.ts";
import {
  createEndpointBody,
  deletedEndpoint,
  endpointList,
  listEndpointsQuery,
  rollEndpointBody,
  updateEndpointBody,
  webhookEndpoint,
} from "./webhook-endpoint.ts";

/** What a request may carry. */
export type RequestSchemas = { body?: z.ZodType; query?: z.ZodType };

export const requestSchemas = {
  createPayment: { body: createPaymentBody },
  createHosted: { body: createHostedBody },
  listPayments: { query: listPaymentsQuery },
  getPayment: {},
  refundPayment: { body: refundPaymentBody },
  getAccount: {},
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
  startListener: { body: startListenerBody },
  takeDeliveries: { body: takeDeliveriesBody },
  reportDelivery: { body: reportDeliveryBody },
} as const satisfies Record<keyof typeof routes, RequestSchemas>;

export const answerSchemas = {
  payment,
  list: paymentList,
  account: keyAccount,
  event,
  eventList,
  endpoint: webhookEndpoint,
  endpointList,
  deletedEndpoint,
  delivery,
  deliveryList,
  takenList: listenerDeliveryList,
} satisfies Record<keyof Answers, z.ZodType>;
