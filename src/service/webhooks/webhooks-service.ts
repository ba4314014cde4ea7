import { FairShares } from "../../runtime/fair-semaphore.ts";
import type { AccountsService } from "../accounts/accounts-service.ts";
import type { Scope } from "../database/scope.ts";
import type { IdempotencyService } from "../idempotency/run-idempotently.ts";
import { type Endpoint, listActiveSecrets } from "./delivery-state.ts";
import type { EventTimes, NewEvent } from "./events-sql.ts";
import type { WebhooksStore } from "./webhooks-store.ts";

/**
 * `schedule`: how long a delivery waits before its first attempt, and before each further one, in milliseconds.
 * `allowsPrivate`: webhooks may go to private addresses, and over plain http in live mode.
 */
export type WebhookSettings = {
  schedule: readonly number[];
  eventRetentionMs: number;
  allowsPrivate: boolean;
};

/** A request that waits for a listener's deliveries: `superseded` is aborted when a newer request takes over. */
export type WaitingListener = { accountId: string; superseded: AbortController };

/** Requests that wait for deliveries, by the listener's id. */
type WaitingListeners = Map<string, WaitingListener>;

export function createWaitingListeners(): WaitingListeners {
  return new Map();
}

/** How many tests of webhook endpoints may be sent at the same time. */
const maxTests = 16;

export function createTestShares(): FairShares {
  return new FairShares(maxTests);
}

/** The service, as use cases of webhooks take it. */
export type WebhooksService = AccountsService &
  IdempotencyService & {
    store: WebhooksStore;
    webhooks: WebhookSettings;
    /** Sends tests of webhook endpoints. */
    sender: Pick<WebhookSender, "send">;
    /** From 0 to below 1, for the jitter of what `subject` names; random by default. */
    jitter?: ((subject: string) => number) | undefined;
    /** Aborted when the service ends: requests that wait are answered then. */
    shutdown?: AbortSignal | undefined;
    listeners: WaitingListeners;
    /** Tests of webhook endpoints that are being sent, by account. */
    tests: FairShares;
  };

/** A request with an event. It is signed with each of `secrets`, the newest first. */
export type Webhook = {
  url: string;
  /** Whether it may go over plain http. */
  allowHttp: boolean;
  secrets: readonly string[];
  eventId: string;
  body: string;
  nowMs: number;
};

/** `answer` is the beginning of the endpoint's answer, as it may be stored; null where there was none. */
export type SendOutcome =
  | { outcome: "delivered"; status: number; error: null; answer: string }
  | {
      outcome: "failed";
      /** Null where there was no answer. */
      status: number | null;
      /** The reason, in a sentence for the operator of the endpoint. */
      error: string;
      answer: string | null;
      retryAfterMs?: number;
      /** The endpoint has answered 410 and is disabled. */
      isGone?: boolean;
    };

export type WebhookSender = {
  /** Makes one attempt; never rejects. */
  send(webhook: Webhook): Promise<SendOutcome>;
  /** Also aborts attempts under way. */
  close(): Promise<void>;
};

/** The times of an event that happens now. */
export function computeEventTimes({ clock, webhooks }: WebhooksService): EventTimes {
  const nowMs = clock();
  return { nowMs, dueAtMs: nowMs + (webhooks.schedule[0] ?? 0) };
}

/** An event for a change of a payment, to be written together with it. */
export function buildEvent(service: WebhooksService): NewEvent {
  return { id: service.ids.event(), ...computeEventTimes(service) };
}

/** The request that takes an event to an endpoint. */
export function buildWebhook(
  { webhooks }: WebhooksService,
  { livemode }: Scope,
  endpoint: Endpoint & { url: string },
  { id, body, nowMs }: { id: string; body: string; nowMs: number },
): Webhook {
  return {
    url: endpoint.url,
    secrets: listActiveSecrets(endpoint, nowMs),
    eventId: id,
    body,
    nowMs,
    allowHttp: !livemode || webhooks.allowsPrivate,
  };
}
