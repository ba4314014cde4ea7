import { simulatorName } from "../../../../src/contract/route.ts";
import type { NewEvent } from "../../../../src/service/webhooks/events-sql.ts";
import { toCreatedEventId } from "../../../../src/service/database/ids.ts";
import { card, nextId, readPage } from "../../../testkit/database/records.ts";
import type { Scope } from "../../../../src/service/database/scope.ts";
import type { IdempotencyRecord } from "../../../../src/service/idempotency/idempotency-store.ts";
import type { NewPayment } from "../../../../src/service/payments/write-payments.ts";
import type { StoredCharge } from "../../../../src/service/payments/charges-sql.ts";
import type { Store } from "../../../../src/service/service.ts";
import { newCharge } from "../../../../src/service/payments/charge-state.ts";
import { takeCard, type Payment } from "../../../../src/service/payments/payment-state.ts";

export const atMs = Date.UTC(2026, 10, 15, 12);
export const scope: Scope = { accountId: "acct_1", livemode: false };
export const liveScope: Scope = { accountId: "acct_1", livemode: true };
export const otherAccount: Scope = { accountId: "acct_2", livemode: false };

const lifetimeMs = 1_000;

export type TransitionWrite = Parameters<Store["transition"]>[0];
type Options = {
  scope?: Scope;
  key?: string;
  fingerprint?: string;
  lockedUntilMs?: number;
  nowMs?: number;
};

/** The record of a request for a second: its response is the payment's id. */
export function recordOf(payment: Payment, options: Options): IdempotencyRecord | undefined {
  const { key, fingerprint = "f", lockedUntilMs = 0, nowMs = atMs } = options;
  if (key === undefined) return undefined;
  const response = { status: 201, body: payment.id };
  return { key, fingerprint, response, lockedUntilMs, nowMs, expiresAtMs: nowMs + lifetimeMs };
}

export const network = "https://adapter.test";

/** A charge that is due at once. */
export function storedCharge(fields: Partial<StoredCharge> = {}): StoredCharge {
  const times = { begunAtMs: atMs, dueAtMs: atMs };
  return { network, ...newCharge, ...times, ...fields };
}

/** A charge that the simulator declines at a time. */
export function simulatedCharge(dueAtMs: number, reference = "expired_card"): StoredCharge {
  return storedCharge({ network: simulatorName, reference, dueAtMs });
}

/** Claims the page of a payment with the charge of a card; false where it cannot be claimed. */
export async function claimPage(
  store: Store,
  payment: Payment,
  claim: { nowMs: number; untilMs: number },
  of = scope,
): Promise<boolean> {
  const withCard = takeCard(payment, card, "Ada") as Payment;
  return await store.chargePage({ scope: of, payment: withCard, claim, charge: storedCharge() });
}

/** Longer than any claim lasts. */
export const afterClaims = { claimableAtMs: Number.MAX_SAFE_INTEGER };

/** The event of a change, whose deliveries are due at once. */
export function eventOf(nowMs = atMs): NewEvent {
  return { id: nextId(nowMs).replace("pay_", "evt_"), nowMs, dueAtMs: nowMs };
}

export function writeOf(
  payment: Payment,
  options: Options & Partial<Pick<NewPayment, "page" | "charge">> = {},
): NewPayment & { event: NewEvent } {
  return {
    scope: options.scope ?? scope,
    payment,
    json: JSON.stringify(payment),
    event: { ...eventOf(options.nowMs), id: toCreatedEventId(payment.id) },
    page: options.page,
    charge: options.charge,
    idempotency: recordOf(payment, options),
  };
}

export function moveOf(
  payment: Payment,
  from: Payment["status"],
  options: Options = {},
): TransitionWrite {
  return {
    scope: options.scope ?? scope,
    payment,
    event: eventOf(options.nowMs),
    from,
    idempotency: recordOf(payment, options),
  };
}

/** Every payment of a scope, newest first. */
export async function allPages(store: Store, of = scope): Promise<Payment[]> {
  const page = { above: "", direction: "forward", limit: 100 } as const;
  const all: Payment[] = [];
  for (let below = "pay_g", more = true; more; below = all.at(-1)?.id ?? "") {
    const { payments, hasMore } = await readPage(store, of, { ...page, below });
    all.push(...payments);
    more = hasMore;
  }
  return all;
}
