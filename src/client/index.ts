export {
  PaymentsClient,
  type CallOptions,
  type ClientOptions,
  type CreateEndpoint,
  type CreateHosted,
  type CreatePayment,
  type RollEndpoint,
  type UpdateEndpoint,
  type WriteOptions,
} from "./client.ts";
export {
  ApiError,
  ConnectionError,
  InterruptedError,
  ModeMismatchError,
  PaymentsError,
  UnexpectedAnswerError,
} from "./errors.ts";
export { verifyWebhook, type WebhookHeaders } from "./verify-webhook.ts";
export { WebhookVerificationError, type WebhookCheck } from "./webhook-verification-error.ts";
export type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";
export type { Delivery, DeliveryList, ListDeliveriesQuery } from "../contract/delivery.ts";
export type { Event, EventList, ListEventsQuery } from "../contract/event.ts";
export type { KeyAccount } from "../contract/key-account.ts";
export type { ListPaymentsQuery, PaymentList } from "../contract/list.ts";
export type { Card, Payment, PaymentStatus } from "../contract/payment.ts";
export type {
  DeletedEndpoint,
  EndpointList,
  ListEndpointsQuery,
  WebhookEndpoint,
} from "../contract/webhook-endpoint.ts";
