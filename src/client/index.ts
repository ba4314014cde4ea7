export type {
  CreateEndpoint,
  CreateHosted,
  CreatePayment,
  RollEndpoint,
  SettledOptions,
  UpdateEndpoint,
} from "./calls.ts";
export type { PayOptions } from "./checkout-page.ts";
export {
  checkWebhookReceiver,
  type CheckReceiverOptions,
  type PromiseResult,
  type ReceiverCheck,
} from "./check-receiver.ts";
export { PaymentsClient, type ClientOptions } from "./client.ts";
export {
  ApiError,
  CheckoutError,
  ConnectionError,
  InterruptedError,
  ModeMismatchError,
  PaymentsError,
  ReceiverError,
  UnexpectedAnswerError,
} from "./errors.ts";
export type { CallOptions, RefundOptions, WriteOptions } from "./request.ts";
export {
  WebhookVerificationError,
  verifyWebhook,
  type WebhookCheck,
  type WebhookHeaders,
} from "./verify-webhook.ts";
export type { FaultInput, SandboxFault, SandboxRequest } from "../contract/sandbox.ts";
export {
  NotSentError,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from "../runtime/http-transport.ts";
export type {
  Delivery,
  DeliveryDetails,
  DeliveryList,
  DeliveryTry,
  ListAllDeliveriesQuery,
  ListDeliveriesQuery,
  RecoverEndpointBody,
  Recovery,
  WebhookTest,
} from "../contract/delivery.ts";
export type { ErrorCode } from "../contract/error.ts";
export type {
  /** An event as the API lists it, and as a webhook brings it unless it is a test. */
  Event as PaymentEvent,
  EventList,
  ListEventsQuery,
  TestEvent,
  UnknownEvent,
  /** The body of a webhook, a union by `type`. */
  WebhookEvent as Event,
} from "../contract/event.ts";
export type { DeclineCode, EventType } from "../contract/field-values.ts";
export type { KeyAccount, PaymentsReport, ReportQuery, ReportRow } from "../contract/account.ts";
export type { ListPaymentsQuery, PaymentList } from "../contract/list-payments.ts";
export type { ListRequestsQuery, LoggedRequest, RequestList } from "../contract/logged-request.ts";
export type { Card, Payment, PaymentStatus } from "../contract/payment.ts";
export type {
  DeletedEndpoint,
  EndpointList,
  ListEndpointsQuery,
  WebhookEndpoint,
} from "../contract/webhook-endpoint.ts";
