import type {
  IdempotencyRecord,
  NewPayment,
  Scope,
  Store,
} from "../../../../src/service/use-cases/ports.ts";
import type { Payment } from "../../../../src/service/domain/payment.ts";
import { readPage } from "./read.ts";

export const atMs = Date.UTC(2026, 10, 15, 12);
export const scope: Scope = { accountId: "acct_1", livemode: false };
export const liveScope: Scope = { accountId: "acct_1", livemode: true };
export const otherAccount: Scope = { accountId: "acct_2", livemode: false };

const lifetimeMs = 1_000;

export type TransitionWrite = Parameters<Store["transition"]>[0];
type Options = { scope?: Scope; key?: string; fingerprint?: string; nowMs?: number };

/** What is kept under a key for a second: an answer that names the payment. */
function recordOf(payment: Payment, options: Options): IdempotencyRecord | undefined {
  const { key, fingerprint = "f", nowMs = atMs } = options;
  if (key === undefined) return undefined;
  const answer = { status: 201, body: payment.id };
  return { key, fingerprint, answer, nowMs, expiresAtMs: nowMs + lifetimeMs };
}

export function writeOf(
  payment: Payment,
  options: Options & Partial<Pick<NewPayment, "settlement" | "page">> = {},
): NewPayment {
  return {
    scope: options.scope ?? scope,
    payment,
    settlement: options.settlement,
    page: options.page,
    idempotency: recordOf(payment, options),
  };
}

export function moveOf(
  payment: Payment,
  from: Payment["status"],
  options: Options = {},
): TransitionWrite {
  return { scope: options.scope ?? scope, payment, from, idempotency: recordOf(payment, options) };
}

/** Every payment of a scope, newest first. */
export async function allPages(store: Store, of = scope): Promise<Payment[]> {
  const page = { above: "", status: undefined, direction: "forward", limit: 100 } as const;
  const all: Payment[] = [];
  for (let below = "pay_g", more = true; more; below = all.at(-1)?.id ?? "") {
    const { payments, hasMore } = await readPage(store, of, { ...page, below });
    all.push(...payments);
    more = hasMore;
  }
  return all;
}
