import type { Activity } from "../../contract/administration.ts";
import type { EventType } from "../../contract/field-values.ts";
import type { Moment } from "../../contract/history.ts";
import { simulatorName } from "../../contract/route.ts";
import { daySeconds, parseCreatedMs } from "../../runtime/time.ts";
import type { StoredCharge } from "../payments/charges-sql.ts";
import type { HostedPage } from "../payments/hosted-page-state.ts";
import type { Payment } from "../payments/payment-state.ts";
import type { StoredRequest } from "../requests/requests-store.ts";
import type { TriedDelivery } from "../webhooks/deliveries-sql.ts";
import type { Endpoint } from "../webhooks/delivery-state.ts";

// A moment of a history: its time, its author, the request that did it, and the parts of its sentence.

/** The rows of a payment's history. */
export type StoredHistory = {
  payment: Payment;
  charge: StoredCharge | undefined;
  page: HostedPage | undefined;
  events: readonly StoredEvent[];
  deliveries: readonly TriedDelivery[];
  endpoints: readonly Pick<Endpoint, "id" | "url" | "description">[];
  /** Newest first. */
  requests: readonly StoredRequest[];
  /** Audit entries about the payment and its events, newest first. */
  activity: readonly Activity[];
  /** Whether there are older rows than these. */
  isCut: boolean;
};

export type StoredEvent = { id: string; type: EventType };

/** A moment with its time in milliseconds, which orders those of one second. */
export type TimedMoment = Omit<Moment, "at"> & { atMs: number };

export type Author = NonNullable<Moment["by"]>;

/** What a moment is about; what is left out is null. */
type Links = Partial<
  Record<"request" | "event" | "delivery" | "endpoint", string | undefined> & {
    by: Author | undefined;
  }
>;

export function buildMoment(
  atMs: number,
  kind: Moment["kind"],
  text: string,
  { by, request, event, delivery, endpoint }: Links,
): TimedMoment {
  return {
    atMs,
    kind,
    text,
    by: by ?? null,
    request: request ?? null,
    event: event ?? null,
    delivery: delivery ?? null,
    endpoint: endpoint ?? null,
  };
}

/** The millisecond of an event within the second in which its payment says that it happened. */
export function placeInSecond(atSeconds: number, event: string | undefined): number {
  const atMs = atSeconds * 1000;
  return event === undefined ? atMs : Math.min(Math.max(atMs, parseCreatedMs(event)), atMs + 999);
}

// Authors.

export const serviceItself: Author = { type: "service", id: null, name: null };

export function getCustomer({ customer }: Payment): Author {
  return { type: "customer", id: null, name: customer.name || customer.email || null };
}

/** The card network in live mode; in test mode the service itself decides. */
export function getNetwork({ charge, payment }: StoredHistory): Author {
  const name = charge?.network ?? simulatorName;
  return payment.livemode ? { type: "network", id: null, name } : serviceItself;
}

/** The author of a payment's outcome. */
export function getDecider(stored: StoredHistory): Author {
  return stored.payment.redirect_url === null ? getNetwork(stored) : getCustomer(stored.payment);
}

/** The author of an audit entry, else the key of a request. */
export function getAuthor(
  entry: Activity | undefined,
  request?: StoredRequest,
): Author | undefined {
  if (!entry) return request && { type: "key", id: request.keyId, name: request.keyName };
  const { type, id, name } = entry.actor;
  return { type: type === "api_key" ? "key" : "operator", id, name };
}

// Requests.

export function isCreation({ path, errorCode, isReplayed }: StoredRequest): boolean {
  const isOfPayments = path === "/v1/payments" || path === "/v1/payments/hpp";
  return isOfPayments && errorCode === null && !isReplayed;
}

/** Another replica's clock may differ a little. */
const clockToleranceMs = 1_000;

/**
 * The request that did something at a time: one that was at work then, with the key of the audit entry. What an operator
 * did has none.
 */
export function findRequest(
  { requests }: StoredHistory,
  path: string,
  { atMs, entry }: { atMs: number; entry: Activity | undefined },
): StoredRequest | undefined {
  const found = requests.filter((each) => {
    const startMs = parseCreatedMs(each.id);
    const isAtWork =
      startMs - clockToleranceMs <= atMs && atMs <= startMs + each.durationMs + clockToleranceMs;
    const isOfKey = !entry || entry.actor.id === each.keyId;
    // A refund may go on at the network after its request had no outcome, or be declined there.
    const mayHaveDone =
      each.errorCode === null || each.status >= 500 || each.errorCode === "refund_declined";
    return each.path === path && isAtWork && isOfKey && mayHaveDone && !each.isReplayed;
  });
  return found.find(({ errorCode }) => errorCode === null) ?? found[0];
}

// Parts of sentences.

export function withKey(request: StoredRequest | undefined): string {
  return request?.idempotencyKey == null
    ? ""
    : ` with the idempotency key ${request.idempotencyKey}`;
}

export function describeCard({ card }: Payment): string {
  if (!card) return "a card";
  const brand = card.brand === "unknown" ? "" : `${card.brand} `;
  return `the ${brand}card ending in ${card.last4}`;
}

export function quoteReason(entry: Activity | undefined): string {
  return entry?.detail == null ? "" : ` Reason: ${dropStop(entry.detail)}.`;
}

/** An endpoint by its address, without the query, which may hold a secret. */
export function describeEndpoint({ endpoints }: StoredHistory, id: string): string {
  const endpoint = endpoints.find((each) => each.id === id);
  if (!endpoint) return "an endpoint that was deleted";
  if (endpoint.url === null) return endpoint.description ?? "payments listen";
  const { origin, pathname, search } = new URL(endpoint.url);
  return `${origin}${pathname}${search && "?…"}`;
}

export function dropStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

/** A span in its largest whole unit: `24 hours`, `30 days`, `90 minutes`. */
export function formatSpan(spanMs: number): string {
  const minutes = Math.max(1, Math.round(spanMs / 60_000));
  const minutesADay = daySeconds / 60;
  if (minutes > minutesADay && minutes % minutesADay === 0) return `${minutes / minutesADay} days`;
  if (minutes > 60 && minutes % 60 === 0) return `${minutes / 60} hours`;
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
