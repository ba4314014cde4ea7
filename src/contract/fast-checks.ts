import type { Delivery, DeliveryList } from "./delivery.ts";
import type { Event, EventList } from "./event.ts";
import {
  deliveryIdPattern,
  deliveryStatuses,
  endpointIdPattern,
  endpointStatuses,
  eventIdPattern,
  eventTypes,
} from "./event-values.ts";
import { isJsonObject } from "../runtime/json.ts";
import type { KeyAccount } from "./key-account.ts";
import type { List, PaymentList } from "./list-object.ts";
import type { Payment } from "./payment.ts";
import { paymentIdPattern, paymentStatuses } from "./payment-values.ts";
import type { EndpointList, WebhookEndpoint } from "./webhook-endpoint.ts";

// A quick look at an answer, for a process that reads one or two and ends: zod takes longer to load
// than the answer to arrive. What passes here passes the contract; what does not, the contract judges.

type Check = (value: unknown) => boolean;
type Shape<Of> = { [Field in keyof Of]-?: Check };

const isText: Check = (value) => typeof value === "string";
const isTextOrNull: Check = (value) => value === null || isText(value);
const isInteger: Check = (value) => Number.isSafeInteger(value);
const isFlag: Check = (value) => typeof value === "boolean";
const isIntegerOrNull: Check = (value) => value === null || isInteger(value);
const isIntegerFrom =
  (least: number): Check =>
  (value) =>
    isInteger(value) && Number(value) >= least;
const isListOf =
  (isItem: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(isItem);
const isId =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const isOneOf =
  (known: readonly string[]): Check =>
  (value) =>
    known.some((each) => each === value);

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
  amount: isIntegerFrom(0),
  currency: isText,
  status: isOneOf(paymentStatuses),
  description: isTextOrNull,
  card: (value) => value === null || has(card, value),
  customer: (value) => has(customer, value),
  metadata: (value) => isJsonObject(value) && Object.values(value).every(isText),
  decline_code: isTextOrNull,
  decline_message: isTextOrNull,
  redirect_url: isTextOrNull,
  refunded_at: isIntegerOrNull,
  succeeded_at: isIntegerOrNull,
  failed_at: isIntegerOrNull,
  created: isInteger,
  livemode: isFlag,
};
const event: Shape<Event> = {
  id: isId(eventIdPattern),
  object: isOneOf(["event"]),
  type: isOneOf(eventTypes),
  created: isInteger,
  livemode: isFlag,
  sequence: isIntegerFrom(1),
  data: (value) => has({ object: isPayment }, value),
};
const endpoint: Shape<WebhookEndpoint> = {
  id: isId(endpointIdPattern),
  object: isOneOf(["webhook_endpoint"]),
  url: isTextOrNull,
  events: isListOf(isText),
  description: isTextOrNull,
  status: isOneOf(endpointStatuses),
  disabled_reason: isTextOrNull,
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
  attempts: isIntegerFrom(0),
  next_attempt_at: isIntegerOrNull,
  last_status: isIntegerOrNull,
  last_error: isTextOrNull,
  created: isInteger,
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
/** The secret is among them only where it has just been made. */
export const issuedEndpointFields = Object.keys(endpoint);
export const endpointFields = issuedEndpointFields.filter((name) => name !== "secret");

export function isPayment(value: unknown): value is Payment {
  return has(payment, value);
}

export function isPaymentList(value: unknown): value is PaymentList {
  return has(pageOf(isPayment), value);
}

export function isEvent(value: unknown): value is Event {
  return has(event, value);
}

export function isEventList(value: unknown): value is EventList {
  return has(pageOf(isEvent), value);
}

export function isEndpoint(value: unknown): value is WebhookEndpoint {
  return has(endpoint, value);
}

export function isEndpointList(value: unknown): value is EndpointList {
  return has(pageOf(isEndpoint), value);
}

export function isDeliveryList(value: unknown): value is DeliveryList {
  return has(pageOf(isDelivery), value);
}

export function isAccount(value: unknown): value is KeyAccount {
  return has(account, value);
}

function isDelivery(value: unknown): boolean {
  return has(delivery, value);
}

function pageOf(isItem: Check): Shape<List<unknown>> {
  return { object: isOneOf(["list"]), url: isText, data: isListOf(isItem), has_more: isFlag };
}

function has(shape: Record<string, Check>, value: unknown): boolean {
  return isJsonObject(value) && Object.keys(shape).every((field) => shape[field]?.(value[field]));
}
