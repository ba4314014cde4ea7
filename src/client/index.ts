export {
  PaymentsClient,
  type ClientOptions,
  type CreateHosted,
  type CreatePayment,
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
export type { Transport, TransportAnswer, TransportRequest } from "./transport.ts";
export type { KeyAccount } from "../contract/key-account.ts";
export type { ListPaymentsQuery, PaymentList } from "../contract/list.ts";
export type { Card, Payment, PaymentStatus } from "../contract/payment.ts";
