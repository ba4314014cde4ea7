import type { Event } from "../../contract/event.ts";
import {
  type ClockMode,
  type EventType,
  allEventTypes,
  eventTypes,
  paymentIdPattern,
} from "../../contract/field-values.ts";
import {
  type OptionRules,
  isAtLeast,
  isBoolean,
  isOneOf,
  isText,
  optional,
} from "../../runtime/options.ts";
import { withTimeout } from "../../runtime/promises.ts";
import { authenticate } from "../accounts/authenticate.ts";
import { maxIdOf } from "../database/ids.ts";
import type { Scope } from "../database/scope.ts";
import type { Service } from "../service.ts";
import type { StoredDelivery } from "../webhooks/deliveries-sql.ts";
import { listEvents } from "../webhooks/event-log.ts";
import { createEndingError } from "./run-due-work.ts";

/** Which event is waited for; what is left out may be any. */
export type EventWait = {
  type?: EventType;
  /** The id of the event's payment. */
  payment?: string;
  /** Waits until every enabled endpoint that is subscribed to the event's type has answered 2xx, too. */
  delivered?: boolean;
  /** Looks in this key's account and mode alone; by default in all accounts and both modes. */
  apiKey?: string;
  /** In real time, whatever the clock of the sandbox; 10,000 by default. */
  timeoutMs?: number;
};

export const eventWaitRules: OptionRules<EventWait> = {
  type: optional(isOneOf(eventTypes), `one of ${eventTypes.join(", ")}`),
  payment: optional((id) => isText(id) && paymentIdPattern.test(id), "the id of a payment, pay_…"),
  delivered: optional(isBoolean, "true or false"),
  apiKey: optional(isText, "a key of the sandbox, as text"),
  timeoutMs: optional(isAtLeast(Number.MIN_VALUE), "a number of milliseconds, more than 0"),
};

/** Tells those who wait that something was written. */
export function createWriteWatch() {
  let next = Promise.withResolvers<void>();
  return {
    notify: (): void => {
      next.resolve();
      next = Promise.withResolvers<void>();
    },
    /** Resolves after the next write. */
    next: async (): Promise<void> => next.promise,
  };
}

type Parts = {
  service: Service;
  mode: ClockMode;
  writes: ReturnType<typeof createWriteWatch>;
  /** Aborted when the sandbox starts over or ends. */
  interruption: AbortSignal;
};

type Found = { scope: Scope; event: Event };

/**
 * The newest event that matches, once there is one. It looks anew after each write. Errors: invalid_api_key;
 * service_unavailable where the sandbox starts over or ends; after the timeout one that says what came instead.
 */
export async function waitForEvent(
  { service, mode, writes, interruption }: Parts,
  { timeoutMs = 10_000, delivered = false, apiKey, ...which }: EventWait,
): Promise<Event> {
  const deadlineMs = performance.now() + timeoutMs;
  const { scope } = apiKey === undefined ? {} : await authenticate(service, `Bearer ${apiKey}`);
  for (;;) {
    if (interruption.aborted) throw createEndingError();
    const written = writes.next(); // what is written while it looks may be missed
    const [found] = await findNewest(service, scope, { ...which, limit: 1 });
    const missing = found && delivered ? await listMissing(service, found) : [];
    if (found && missing.length === 0) return found.event;
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) {
      const within = `within ${timeoutMs / 1000} s`;
      const told = found
        ? `${describeEvent(found)} came, but was not delivered ${within}: ${missing.join("; ")}.`
        : `No ${describeWait(which)} came ${within}. ${await describeOthers(service, scope, which)}`;
      throw new Error(
        mode === "manual" ? `${told} The clock stands still: advance() moves it on.` : told,
      );
    }
    await withTimeout(written, leftMs, () => {});
  }
}

/** The newest events, newest first, of one account and mode or of all. */
async function findNewest(
  service: Service,
  scope: Scope | undefined,
  { limit, ...which }: { type?: EventType; payment?: string | undefined; limit: number },
): Promise<Found[]> {
  const scopes = scope ? [scope] : await listScopes(service);
  const pages = await Promise.all(
    scopes.map(async (each) => {
      const { items } = await listEvents(service, each, { ...which, limit });
      return items.map((json): Found => ({ scope: each, event: JSON.parse(json) as Event }));
    }),
  );
  const newestFirst = pages.flat().toSorted((a, b) => (a.event.id < b.event.id ? 1 : -1));
  return newestFirst.slice(0, limit);
}

async function listScopes({ store }: Service): Promise<Scope[]> {
  return (await store.listAccounts()).flatMap(({ id: accountId }) => [
    { accountId, livemode: false },
    { accountId, livemode: true },
  ]);
}

const newestDelivered = {
  below: maxIdOf("del_"),
  above: "del_",
  direction: "forward",
  limit: 100,
  statuses: ["delivered"],
} as const;

/** The endpoints that have not answered 2xx to an event, each with what came of it. */
async function listMissing(service: Service, { scope, event }: Found): Promise<string[]> {
  const endpoints = (await service.store.listEndpoints(scope)).filter(
    ({ status, events }) =>
      status === "enabled" && events.some((each) => each === allEventTypes || each === event.type),
  );
  if (endpoints.length === 0) return [`no enabled endpoint is subscribed to ${event.type}`];
  const first = await service.store.listEventDeliveries(scope, event.id);
  const missing = await Promise.all(
    endpoints.map(async (endpoint) => {
      const delivery = first.find(({ endpointId }) => endpointId === endpoint.id);
      if (delivery?.status === "delivered") return [];
      // An event that was sent again has another delivery, which is newer.
      const { items } = await service.store.listDeliveries(scope, endpoint.id, newestDelivered);
      if (items.some(({ eventId }) => eventId === event.id)) return [];
      return [`${endpoint.url ?? "the listener"} (${endpoint.id}) ${describeDelivery(delivery)}`];
    }),
  );
  return missing.flat();
}

function describeDelivery(delivery: StoredDelivery | undefined): string {
  if (!delivery) return "was not sent it, as it was not enabled for it then";
  const { status, attempts, lastError } = delivery;
  if (attempts === 0) return "has not answered yet";
  const more = status === "failed" ? ", the last one" : "";
  return `did not take it at attempt ${attempts}${more}: ${lastError}`;
}

function describeEvent({ event: { id, type, data } }: Found): string {
  const { id: payment, decline_code: code } = data.object;
  return `${type} of ${payment}${code ? `, ${code}` : ""} (${id})`;
}

/** How many events an error names. */
const maxTold = 5;

function describeWait({ type, payment }: Pick<EventWait, "type" | "payment">): string {
  return `${type ?? "event"}${payment ? ` of ${payment}` : ""}`;
}

/** The last events of the payment, or of all where it has none. */
async function describeOthers(
  service: Service,
  scope: Scope | undefined,
  { payment }: Pick<EventWait, "payment">,
): Promise<string> {
  const limit = maxTold;
  const ofPayment = await findNewest(service, scope, { payment, limit });
  const came = ofPayment.length > 0 ? ofPayment : await findNewest(service, scope, { limit });
  if (came.length === 0) return "Nothing came at all.";
  return `What came last: ${came.map(describeEvent).join("; ")}.`;
}
