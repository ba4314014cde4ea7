// The description of each schema and each of its fields.

const schemas: Record<string, string> = {
  RefundPayment: "No fields: a refund is of the whole amount. The body may be left out.",
  EmptyBody: "No fields: the body may be left out.",
  Error: "Why a request was not done.",
  Payment: "A payment, in its state at the time of the response.",
  Card: "The card of a payment, masked.",
  CreatePayment: "A payment to make with a card.",
  CreateHostedPayment: "A payment that the customer makes on a page.",
  PaymentList: "A page of payments, newest first.",
  Account: "The account of an API key.",
  PaymentsReport: "What became of the payments of a range of days.",
  Event: "A payment as it was when it came to be in a state.",
  TestEvent: "What a test of a webhook endpoint sends: an event about the endpoint itself.",
  EventList: "A page of events, newest first.",
  ResendEvent: "Where to send an event again.",
  Delivery: "The delivery of an event to a webhook endpoint.",
  DeliveryList: "A page of deliveries, newest first.",
  DeliveryTry: "One try to deliver an event.",
  DeliveryWithTries: "A delivery with its last tries.",
  WebhookEndpoint: "An address to which events are sent, or a listener that fetches them.",
  WebhookEndpointList: "A page of webhook endpoints, newest first.",
  DeletedWebhookEndpoint: "The deleted webhook endpoint.",
  CreateWebhookEndpoint: "A webhook endpoint to create.",
  UpdateWebhookEndpoint: "What to change of a webhook endpoint. Fields that are left out stay.",
  RollWebhookEndpoint: "How to replace the secret.",
  RecoverWebhookEndpoint: "From when on to queue missed events.",
  Recovery: "How many events were queued.",
  WebhookTest: "The outcome of a test of a webhook endpoint.",
  StartListener: "Where the listener continues. Both fields together are refused.",
  TakeDeliveries: "How many deliveries to take, and for how long.",
  TakenDelivery: "A delivery that the listener has for a while, with its whole event.",
  TakenDeliveryList: "The deliveries that were taken; none, if there was none in time.",
  ReportDelivery: "The outcome of a delivery that was taken.",
  Request: "A logged request: one that wrote, was refused or failed.",
  RequestList: "A page of logged requests, newest first.",
};

/** Of a schema, by its name, or of one of its fields, by its path or by its last name. */
const fields: Record<string, string> = {
  // Of many schemas.
  id: "Identifies it.",
  object: "What kind of object it is.",
  created: "When it was created, in Unix seconds.",
  livemode: "True in live mode, false in test mode.",
  url: "The path of the list.",
  data: "The page, newest first.",
  has_more: "Whether there are more in the direction of travel.",
  amount: "In minor units: 4999 is 49.99 EUR.",
  currency: "Three letters of ISO 4217, in lowercase.",
  exp_month: "The month of the card's expiry, 1 to 12.",
  exp_year: "The year of the card's expiry, in four digits.",
  metadata:
    "Keys and values of your own: at most 50 keys of 1 to 40 characters, with values of at most 500. No card number, NUL or lone surrogate.",

  "Error.error": "What is wrong.",
  "Error.error.type": "The kind of error.",
  "Error.error.code": "Which error it is. Programs decide by it.",
  "Error.error.message": "What is wrong and what to do, for people.",
  "Error.error.param": "The field, parameter or header at fault, such as `card[number]`.",
  "Error.error.decline_code": "Always null: a decline is reported on the payment.",
  "Error.error.doc_url": "The page that explains the error.",
  "Error.error.request_id": "The request's id, as in `Service-Request-Id`.",

  "Payment.status":
    "`pending` until it is decided; `succeeded`; `failed` and `refunded` are final.",
  "Payment.description": "As it was sent.",
  "Payment.card": "The card, masked; null while a page has not been paid.",
  "Payment.customer": "Who pays.",
  "Payment.customer.email": "As it was sent, or empty.",
  "Payment.customer.name": "First and last name, or the card holder's name, or empty.",
  "Payment.decline_code": "Why the payment failed, for programs.",
  "Payment.decline_message": "Why the payment failed, for people.",
  "Payment.redirect_url": "The page where the customer pays; null for a direct payment.",
  "Payment.refunded_at": "When it was refunded, in Unix seconds.",
  "Payment.succeeded_at": "When it succeeded, in Unix seconds. A refund does not change it.",
  "Payment.failed_at": "When it failed, in Unix seconds.",
  "Card.brand": "From the card's number; `unknown` if no brand has it.",
  "Card.last4": "The last four digits of the number.",
  "Card.country": "The country of the card, in two letters.",

  card: "The card to charge. Its number and security code are never stored.",
  "card.number": "12 to 19 digits, without spaces; the last is the check digit (Luhn).",
  "card.cvc": "The security code: 3 or 4 digits.",
  "card.holder_name": "The name on the card.",
  customer: "Who pays.",
  "customer.email": "The customer's e-mail address.",
  "customer.first_name": "The customer's first name.",
  "customer.last_name": "The customer's last name.",
  "customer.country": "The customer's country, in two letters.",
  "customer.phone": "The customer's phone number.",
  "customer.address": "Street and number.",
  "customer.city": "The city.",
  "customer.zip": "The postal code.",
  description: "What it is, in your words. No card number, NUL or lone surrogate.",
  "CreateHostedPayment.return_url":
    "An `http` or `https` address, without user name and password, where the customer is sent afterwards, with `payment_id` and `status` in the query. That is a hint: retrieve the payment.",
  "CreateHostedPayment.expires_in":
    "For how many seconds the page is open, from 5 minutes to 30 days. The service has a default, 24 hours.",

  "Account.name": "The account's name.",
  "Account.default_version": "The version of the API without `Service-Version`.",

  "PaymentsReport.from": "The first day, in UTC.",
  "PaymentsReport.to": "The day after the last one, in UTC.",
  "PaymentsReport.by": "What a row is.",
  "PaymentsReport.data": "A row for each period and currency that has payments, in this order.",
  "PaymentsReport.data.period": "The day, as 2026-11-01, or the month, as 2026-11.",
  "PaymentsReport.data.payments": "How many were created.",
  "PaymentsReport.data.succeeded": "How many have succeeded; also those refunded later.",
  "PaymentsReport.data.failed": "How many have failed.",
  "PaymentsReport.data.refunded": "How many were refunded.",
  "PaymentsReport.data.gross": "The sum of what succeeded, in minor units.",
  "PaymentsReport.data.refunds": "The sum of the refunds, in minor units.",
  "PaymentsReport.data.net": "`gross` less `refunds`.",
  "PaymentsReport.data.success_rate":
    "`succeeded` divided by `succeeded` and declined together; null if there are neither.",
  "PaymentsReport.data.decline_codes": "How many failed, by their code.",

  "Event.type":
    "The state that the payment has entered; see `examples`. Others may come: answer them with 2xx, and do nothing.",
  "Event.sequence": "Counts the events of one payment from 1.",
  "Event.data": "What the event is about.",
  "TestEvent.type": "No endpoint subscribes to this type.",
  "TestEvent.sequence": "Always 1.",
  "TestEvent.data": "What the event is about.",
  "ResendEvent.endpoint": "Only to this endpoint. By default to all that are enabled.",

  event: "The event's id.",
  type: "The event's type.",
  attempts: "How often it was tried.",
  next_attempt_at: "When it is tried next, in Unix seconds; null if it is not.",
  last_status: "The HTTP status of the last answer; null if there was none.",
  last_error: "Why the last try was no success.",
  "Delivery.status": "Whether it is still to be delivered, was delivered, or was given up.",
  "DeliveryWithTries.status":
    "Whether it is still to be delivered, was delivered, or was given up.",
  "TakenDelivery.status": "Whether it is still to be delivered, was delivered, or was given up.",
  "DeliveryWithTries.tries": "The last 20, the newest last.",
  "DeliveryTry.created": "When it began, in Unix seconds.",
  "DeliveryTry.status": "The HTTP status of the answer; null if there was none.",
  "DeliveryTry.duration_ms": "How long it took; null if a listener did not report it.",
  "DeliveryTry.error": "Why it was no success.",
  "DeliveryTry.answer": "The first 1,024 bytes of the answer, as text; secrets are masked.",

  "WebhookEndpoint.url": "Where events are sent; null for a listener.",
  "WebhookEndpoint.events": 'The types to send; `["*"]` for all.',
  "WebhookEndpoint.description": "As it was sent.",
  "WebhookEndpoint.status": "Whether events are sent.",
  "WebhookEndpoint.disabled_reason":
    "Why the service disabled it: `gone` (it answered 410) or `failing` (nothing succeeded for 5 days).",
  "WebhookEndpoint.secret":
    "Signs what is sent. Shown only when it is new: at creation, and after a roll.",
  "DeletedWebhookEndpoint.deleted": "Always true.",
  "CreateWebhookEndpoint.url":
    "An `https` address, without user name and password; in test mode also `http`. Null makes a listener.",
  "CreateWebhookEndpoint.events": "The types to send. By default all.",
  "UpdateWebhookEndpoint.url":
    "An `https` address, without user name and password; in test mode also `http`.",
  "UpdateWebhookEndpoint.events": "The types to send.",
  "UpdateWebhookEndpoint.status": "Whether events are sent.",
  "RollWebhookEndpoint.overlap_hours": "How long the old secret signs, too. By default 24.",
  "RecoverWebhookEndpoint.since": "In Unix seconds.",
  "Recovery.queued": "How many events will be sent.",
  "Recovery.has_more": "Whether another request will queue more.",
  "WebhookTest.event": "The id of the event that was sent. It is in no list.",
  "WebhookTest.status": "The HTTP status of the answer; null if there was none.",
  "WebhookTest.duration_ms": "How long it took.",
  "WebhookTest.error": "Why it was no success.",
  "WebhookTest.answer": "The first 1,024 bytes of the answer, as text; secrets are masked.",

  "StartListener.since": "Queues the events since this time, in Unix seconds.",
  "StartListener.only_new": "Drops what is pending.",
  "TakeDeliveries.limit": "How many at most.",
  "TakeDeliveries.wait_seconds": "How long to wait for the first.",
  "TakeDeliveries.lease_seconds": "After how long they are due again, unless they are reported.",
  "ReportDelivery.delivery": "The delivery's id.",
  "ReportDelivery.attempts": "The delivery's `attempts` as they were when it was taken.",
  "ReportDelivery.delivered": "Whether it was a success.",
  "ReportDelivery.duration_ms": "How long it took.",
  "ReportDelivery.answer": "The answer, as text. Its first 1,024 bytes are stored.",

  "Request.created": "When it began, in Unix seconds.",
  "Request.method": "The HTTP method.",
  "Request.path": "The path, without its query.",
  "Request.status": "The HTTP status of the response.",
  "Request.duration_ms": "The time until the response was ready.",
  "Request.key": "The API key that was sent.",
  "Request.key.id": "Identifies the key. It is not the key itself.",
  "Request.key.name": "The name that the key had.",
  "Request.error": "Why it was refused or failed; null if it succeeded.",
  "Request.error.type": "The kind of error.",
  "Request.error.code": "Which error it is.",
  "Request.error.param": "The field, parameter or header at fault.",
  "Request.payment": "The id of the payment that it made or named.",
  "Request.idempotency_key": "The `Idempotency-Key` that was sent.",
  "Request.replayed": "Whether the response was a stored one.",
};

export function describeSchema(name: string): string {
  return find(schemas, [name]);
}

/** By the whole path, such as `Payment.customer.email`; without the schema's name; or by the field's name. */
export function describeField(path: string): string {
  const [, ...names] = path.split(".");
  return find(fields, [path, names.join("."), names.at(-1) ?? ""]);
}

function find(texts: Record<string, string>, keys: string[]): string {
  const key = keys.find((each) => texts[each] !== undefined);
  const text = key === undefined ? undefined : texts[key];
  if (text === undefined) throw new Error(`descriptions.ts lacks ${keys.join(", ")}.`);
  return text;
}
