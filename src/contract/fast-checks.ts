import type { Delivery, DeliveryDetails, DeliveryTry } from "./delivery.ts";
import type { Event } from "./event.ts";
import {
  deliveryIdPattern,
  deliveryStatuses,
  endpointIdPattern,
  endpointStatuses,
  eventIdPattern,
  eventTypes,
  maxTries,
  paymentIdPattern,
  paymentStatuses,
  requestIdPattern,
} from "./field-values.ts";
import { isJsonObject } from "../runtime/json.ts";
import type { LoggedRequest } from "./logged-request.ts";
import type { KeyAccount } from "./schemas.ts";
import type { Payment } from "./payment.ts";
import type { ResponseName } from "./route.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

// For a process that reads one or two responses and ends: zod takes longer to load than a response to arrive. A value
// that passes here satisfies the contract; any other is left to zod. A test compares the two.

type Check = (value: unknown) => boolean;
type Shape<Of> = { [Field in keyof Of]-?: Check };

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isInteger: Check = (value) => Number.isSafeInteger(value);
const isCount: Check = (value) => isInteger(value) && Number(value) >= 0;
const orNull =
  (is: Check): Check =>
  (value) =>
    value === null || is(value);
const isId =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const isOneOf =
  (known: readonly unknown[]): Check =>
  (value) =>
    known.includes(value);
const isListOf =
  (isItem: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isItem);

const card: Shape<NonNullable<Payment["card"]>> = {
  brand: isText,
  last4: isText,
  exp_month: isInteger,
  exp_year: isInteger,
  country: isText,
};
const customer: Shape<Payment["customer"]> = { email: isText, name: isText };
const payment: Shape<Payment> = {
  id: isId(paymentIdPattern),
  object: isOneOf(["payment"]),
  amount: isCount,
  currency: isText,
  status: isOneOf(paymentStatuses),
  description: orNull(isText),
  card: orNull((value) => has(card, value)),
  customer: (value) => has(customer, value),
  metadata: (value) => isJsonObject(value) && Object.values(value).every(isText),
  decline_code: orNull(isText),
  decline_message: orNull(isText),
  redirect_url: orNull(isText),
  refunded_at: orNull(isInteger),
  succeeded_at: orNull(isInteger),
  failed_at: orNull(isInteger),
  created: isInteger,
  livemode: isFlag,
};
const requestKey: Shape<LoggedRequest["key"]> = { id: isText, name: isText };
const requestError: Shape<NonNullable<LoggedRequest["error"]>> = {
  type: isText,
  code: isText,
  param: orNull(isText),
};
const event: Shape<Event> = {
  id: isId(eventIdPattern),
  object: isOneOf(["event"]),
  type: isOneOf(eventTypes),
  created: isInteger,
  livemode: isFlag,
  sequence: (value) => isCount(value) && value !== 0,
  data: (value) => has({ object: isPayment }, value),
};
const endpoint: Shape<WebhookEndpoint> = {
  id: isId(endpointIdPattern),
  object: isOneOf(["webhook_endpoint"]),
  url: orNull(isText),
  events: isListOf(isText),
  description: orNull(isText),
  status: isOneOf(endpointStatuses),
  disabled_reason: orNull(isText),
  secret: (value) => value === undefined || isText(value),
  created: isInteger,
  livemode: isFlag,
};
const delivery: Shape<Delivery> = {
  id: isId(deliveryIdPattern),
  object: isOneOf(["delivery"]),
  event: isId(eventIdPattern),
  type: isOneOf(eventTypes),
  status: isOneOf(deliveryStatuses),
  attempts: isCount,
  next_attempt_at: orNull(isInteger),
  last_status: orNull(isInteger),
  last_error: orNull(isText),
  created: isInteger,
};
const request: Shape<LoggedRequest> = {
  id: isId(requestIdPattern),
  object: isOneOf(["request"]),
  created: isInteger,
  method: isText,
  path: isText,
  status: isInteger,
  duration_ms: (value) => typeof value === "number" && value >= 0,
  key: (value) => has(requestKey, value),
  error: orNull((value) => has(requestError, value)),
  payment: orNull(isId(paymentIdPattern)),
  idempotency_key: orNull(isText),
  replayed: isFlag,
  livemode: isFlag,
};
const deliveryTry: Shape<DeliveryTry> = {
  created: isInteger,
  status: orNull(isInteger),
  duration_ms: orNull(isCount),
  error: orNull(isText),
  answer: orNull(isText),
};
const deliveryDetails: Shape<DeliveryDetails> = {
  ...delivery,
  tries: (value) => isListOf((each) => has(deliveryTry, each))(value) && isWithinMaxTries(value),
};
const account: Shape<KeyAccount> = {
  id: isText,
  object: isOneOf(["account"]),
  name: isText,
  default_version: isText,
  livemode: isFlag,
};

/** The names of a Payment's fields; one inside the card or the customer is written `card.last4`. */
export const paymentFields = Object.keys(payment).flatMap((name) => {
  const inner = name === "card" ? card : name === "customer" ? customer : undefined;
  return inner ? Object.keys(inner).map((field) => `${name}.${field}`) : [name];
});

/** The same of an Event: those of the payment in it are written `data.object.amount`. */
export const eventFields = Object.keys(event).flatMap((name) =>
  name === "data" ? paymentFields.map((field) => `data.object.${field}`) : [name],
);
export const deliveryFields = Object.keys(delivery);
/** The same of a logged request. */
export const requestFields = Object.keys(request).flatMap((name) => {
  const inner = name === "key" ? requestKey : name === "error" ? requestError : undefined;
  return inner ? Object.keys(inner).map((field) => `${name}.${field}`) : [name];
});
export const deliveryDetailsFields = Object.keys(deliveryDetails);
/** The secret is among them only where it has just been made. */
export const issuedEndpointFields = Object.keys(endpoint);
export const endpointFields = issuedEndpointFields.filter((name) => name !== "secret");

const isWithinMaxTries: Check = (value) => Array.isArray(value) && value.length <= maxTries;
const isPayment: Check = (value) => has(payment, value);
const isEvent: Check = (value) => has(event, value);
const isLoggedRequest: Check = (value) => has(request, value);
const isEndpoint: Check = (value) => has(endpoint, value);
const pageOf =
  (isItem: Check): Check =>
  (value) =>
    has(
      { object: isOneOf(["list"]), url: isText, data: isListOf(isItem), has_more: isFlag },
      value,
    );

/** The checks of the responses that have one. */
export const fastChecks = {
  payment: isPayment,
  paymentList: pageOf(isPayment),
  account: (value) => has(account, value),
  event: isEvent,
  eventList: pageOf(isEvent),
  endpoint: isEndpoint,
  endpointList: pageOf(isEndpoint),
  deliveryDetails: (value) => has(deliveryDetails, value),
  deliveryList: pageOf((value) => has(delivery, value)),
  request: isLoggedRequest,
  requestList: pageOf(isLoggedRequest),
} satisfies Partial<Record<ResponseName, Check>>;

function has(shape: Record<string, Check>, value: unknown): boolean {
  return isJsonObject(value) && Object.keys(shape).every((field) => shape[field]?.(value[field]));
}
