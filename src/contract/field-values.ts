// What the fields of the API may hold, and their limits. Without zod: a command that needs only these does not load it.

export const modes = ["test", "live"] as const;
export type Mode = (typeof modes)[number];

// API keys.

/** What an API key may be allowed to do, in the order in which it is shown. */
export const permissions = ["create", "read", "refund", "webhooks"] as const;
export type Permission = (typeof permissions)[number];

/** What each permission lets a key do, in words that follow its name. */
export const permissionMeanings: Record<Permission, string> = {
  create: "payments and payment pages, and cancel them",
  read: "payments, events, webhooks, reports and requests",
  refund: "payments",
  webhooks: "manage endpoints, listen, send events again",
};

/** The permissions among some names, once each, in their order. */
export function sortPermissions(names: readonly string[]): Permission[] {
  return permissions.filter((permission) => names.includes(permission));
}

// Payments.

export const paymentStatuses = ["pending", "succeeded", "failed", "refunded"] as const;

/**
 * Every code that a failed payment may carry, with its message: those of the specification (Declines), those of a
 * payment page, and `authentication_required`. `canceled`: by the merchant.
 */
export const declineMessages = {
  generic_decline: "The card was declined. The customer should use another card or ask the bank.",
  insufficient_funds: "The card has insufficient funds to complete this payment.",
  expired_card: "The card has expired. Do not retry this card; ask the customer for another one.",
  authentication_required:
    "The bank wanted the customer to confirm this payment, and it was not confirmed. The customer should try again on a payment page, where the bank can ask, or use another card.",
  test_mode_live_card:
    "A real card was used in test mode, which only accepts test cards. Nothing was charged.",
  hpp_expired: "The payment page expired before the customer paid.",
  customer_canceled: "The customer canceled the payment.",
  canceled: "The merchant canceled the payment.",
  processing_error: "The card network could not process the payment. Try again later.",
} as const;
export type DeclineCode = keyof typeof declineMessages;
export const declineCodes = Object.keys(declineMessages) as DeclineCode[];

export function isDeclineCode(code: string): code is DeclineCode {
  return Object.hasOwn(declineMessages, code);
}

/** How long a payment's page may be open, in seconds. */
export const minPageSeconds = 300;

export const maxPageSeconds = 2_592_000;

export const paymentIdPattern = /^pay_[a-zA-Z0-9-]+$/;

// Events, webhook endpoints and deliveries.

/** An event's type is the state that a payment entered. */
export const eventTypes = paymentStatuses.map((status) => `payment.${status}` as const);
export type EventType = (typeof eventTypes)[number];

export const eventIdPattern = /^evt_[a-zA-Z0-9-]+$/;

/** The secret of an endpoint or a listener, whole. */
export const webhookSecretPattern = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

export const endpointIdPattern = /^we_[a-zA-Z0-9-]+$/;

export const deliveryIdPattern = /^del_[a-zA-Z0-9-]+$/;

export const endpointStatuses = ["enabled", "disabled"] as const;

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** Every type, also future ones. */
export const allEventTypes = "*";

/** The event types to which an endpoint is subscribed: some, or all. */
export type Subscription = [typeof allEventTypes] | EventType[];

/** The subscription to types that are known, in the order of the API. */
export function normalizeSubscription(types: readonly string[]): Subscription {
  if (types.includes(allEventTypes)) return [allEventTypes];
  return eventTypes.filter((each) => types.includes(each));
}

/** In a mode of an account. */
export const maxEndpoints = 16;

export const maxListeners = 16;

/** After a roll the old secret signs for at most this time, too. */
export const maxOverlapHours = 7 * 24;

/** Limits of a listener's requests. */
export const maxDeliveriesPerRequest = 16;

export const maxWaitSeconds = 25;

/** How long a listener has for a delivery that it took. */
export const defaultLeaseSeconds = 60;

export const maxLeaseSeconds = 24 * 60 * 60;

export const maxErrorLength = 200;

export const maxReportedAnswer = 4_096;

/** Of a delivery, the tries that are stored: the last ones. */
export const maxTries = 20;

/** Of an answer to a webhook, the bytes that are stored. */
export const maxAnswerBytes = 1_024;

/** How many events one request to recover queues. */
export const maxRecovered = 10_000;

/** The event that a test of an endpoint sends; no endpoint subscribes to it. */
export const testEventType = "webhook.test";

// Logged requests.

export const requestIdPattern = /^req_[a-zA-Z0-9-]+$/;

/** The statuses with which the API answers: those of success, and those of the error codes. */
export const answeredStatuses = [
  200, 201, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431, 500, 503,
] as const;
export type AnsweredStatus = (typeof answeredStatuses)[number];

/** Methods with which a request may be logged: those of the API, and others that were refused. */
export const requestMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Names up to ten statuses, exact ones or classes: `404`, `4xx`, `4xx,5xx`. */
export const statusFilterPattern = /^[2-5](?:\d\d|xx)(?:,[2-5](?:\d\d|xx)){0,9}$/;

export const maxStatusFilterLength = 39;

/** Whether a text names statuses. */
export function isStatusFilter(text: string): boolean {
  return statusFilterPattern.test(text);
}

/** A pattern of one of some values, or several separated by commas. */
export function writeSeveralPattern(values: readonly string[]): RegExp {
  const one = `(?:${values.join("|")})`;
  return new RegExp(`^${one}(?:,${one}){0,${values.length - 1}}$`);
}

/** One of some values, or several separated by commas. */
export type Several<Value extends string> = Value | `${Value},${string}`;

/** The values that a filter names, each once and in the order of `all`; undefined where it names all, or is none. */
export function parseSeveral<Value extends string>(
  filter: Several<Value> | undefined,
  all: readonly Value[],
): Value[] | undefined {
  const named = filter?.split(",");
  const values = all.filter((value) => named?.includes(value));
  return named === undefined || values.length === all.length ? undefined : values;
}

/** The statuses that a filter of requests names, in order. */
export function parseStatusFilter(text: string): number[] {
  const statuses = text.split(",").flatMap((name) => {
    if (!name.endsWith("xx")) return [Number(name)];
    return answeredStatuses.filter((status) => String(status).startsWith(name.slice(0, 1)));
  });
  return [...new Set(statuses)].toSorted((a, b) => a - b);
}

// Reports.

/** A report has one row for each day, or for each month. */
export const reportPeriods = ["day", "month"] as const;
export type ReportPeriod = (typeof reportPeriods)[number];

export const maxReportPeriods = 400;

/** The fields of a row, in the order of a CSV. */
export const reportFields = [
  "period",
  "currency",
  "payments",
  "succeeded",
  "failed",
  "refunded",
  "gross",
  "refunds",
  "net",
  "success_rate",
  "decline_codes",
] as const;

// The sandbox.

/** The keys of every sandbox. They are published: no other service accepts them. */
export const sandboxKeys: Record<Mode, string> = {
  test: "svc_test_sk_sandboxKeyThatIsPublishedAndProtectsNothing",
  live: "svc_live_sk_sandboxKeyThatIsPublishedAndProtectsNothing",
};

export const defaultSandboxUrl = "http://127.0.0.1:8402";

export const clockModes = ["real", "manual"] as const;
export type ClockMode = (typeof clockModes)[number];

/** The time at which a sandbox signs webhooks: its own, or the real one, which receivers in other languages know. */
export const signingTimes = ["sandbox", "wall"] as const;
export type SigningTime = (typeof signingTimes)[number];

/** The start of a manual clock in a sandbox with a seed, in Unix seconds. */
export const seededStart = 1_800_000_000;

/** The maximum by which one request moves the clock. */
export const maxAdvance = "400d";

/** The faults of a request: on its way, to its answer, or instead of its work. */
export const requestFaults = ["lost_answer", "disconnect", "delay", "status", "in_use"] as const;
export type RequestFault = (typeof requestFaults)[number];

/** The statuses that a fault can give in place of the work. */
export const faultStatuses = [429, 500, 503] as const;

export const webhookFaults = ["duplicate", "reorder", "delay", "lost_answer"] as const;

/** The faults of a live payment or its refund at the simulator. */
export const networkFaults = ["processing", "unknown", "decline", "refund_declined"] as const;

/** The fault of a single request, such as `lost_answer`, `delay=2s` or `status=503`. */
export const faultHeader = "sandbox-fault";

/** A request with this header is not in the journal, and no fault strikes it: for a program that only watches. */
export const watcherHeader = "sandbox-watcher";

/** The description of the listener by which `sandbox exec --forward-to` gets its events. */
export const execForwarding = "payments sandbox exec --forward-to";

/** How many requests of an account a sandbox remembers. */
export const maxJournal = 1_000;

// Reconciliation.

/**
 * The types of a transaction in a bank's lines or a card network's list: money that moved for a payment, or moved back.
 * `other` belongs to no payment: payouts, fees, adjustments.
 */
export const transactionTypes = [
  "charge",
  "charge_failure",
  "refund",
  "refund_failure",
  "dispute",
  "dispute_reversal",
  "other",
] as const;
export type TransactionType = (typeof transactionTypes)[number];

export const defaultPageSize = 10;

export const maxPageSize = 100;
