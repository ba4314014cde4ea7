import { Unavailable } from "../../runtime/failures.ts";
import { withTimeout } from "../../runtime/timeouts.ts";
import { nextChargeStep, type ActionOutcome } from "../domain/charge-state.ts";
import type { Payment } from "../domain/payment-state.ts";
import type { CardNetwork, Charge } from "../ports/card-network.ts";
import type { LockedRequest, Scope, StoredResponse } from "../ports/idempotency-record.ts";
import type { DueCharge, StoredCharge } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";
import { buildEvent } from "../webhooks/event-log.ts";

// How a network is asked about a charge, always by the payment's id, and how its answer is written: once, whether
// a request asks, or the process that settles what another has left.

/**
 * Longer than a network takes for all that a charge needs. Where it does take longer, another process meanwhile asks
 * what has become of the charge, which does no harm.
 */
const leaseMs = 30_000;
/** How long a request waits for its network's answer, from its beginning on. */
export const networkTimeoutMs = 10_000;

/** Until when the caller alone asks the network about a charge. */
export function computeLeaseEnd(nowMs: number): number {
  return nowMs + leaseMs;
}

/** A charge that a network is about to be asked for. */
export function startCharge(network: string, nowMs: number) {
  const state = { pendingAction: "charge", reference: null, attempts: 0 } as const;
  const charge: StoredCharge = { ...state, network, begunAtMs: nowMs, dueAtMs: null };
  return { ...charge, dueAtMs: computeLeaseEnd(nowMs) };
}

/** No slot came free, or the network fails: nothing was written. */
export function networkBusyError(): Unavailable {
  return new Unavailable(
    "The card network cannot be asked at the moment; nothing was written. Try again, with the same Idempotency-Key.",
    { isPublic: true },
  );
}

/**
 * The result of a call of the network; undefined where the request has waited long enough since it began. The call
 * then goes on, and keeps its slot until it ends.
 */
export async function withNetworkTimeout<T>(
  { timeouts }: Ports,
  { slot, sinceMs }: { slot: Disposable; sinceMs: number },
  call: Promise<T>,
): Promise<T | undefined> {
  const deadlineMs = sinceMs + (timeouts?.networkMs ?? networkTimeoutMs);
  const ended = call.finally(() => slot[Symbol.dispose]());
  return await withTimeout(ended, deadlineMs - performance.now(), () => undefined);
}

/** What a network is told of a charge. */
export function toCharge({
  scope,
  payment,
  charge,
}: {
  scope: Scope;
  payment: Pick<Payment, "id" | "amount" | "currency" | "description" | "customer">;
  charge: StoredCharge;
}): Charge {
  const { id, amount, currency, description, customer } = payment;
  return {
    id,
    accountId: scope.accountId,
    amount,
    currency,
    description,
    customer: { email: customer.email || null, name: customer.name || null },
    reference: charge.reference,
    begunAtMs: charge.begunAtMs,
  };
}

/** Asks a network for what is pending of a charge: what has become of it, to cancel it, or to refund it. */
export async function askNetwork(network: CardNetwork, due: DueCharge): Promise<ActionOutcome> {
  const { pendingAction } = due.charge;
  switch (pendingAction) {
    case "charge":
      return await network.lookUp(toCharge(due));
    case "cancel":
      return await network.cancel(toCharge(due));
    case "refund":
      return await network.refund(toCharge(due));
    case "none":
      throw new Error("Nothing is pending of this charge.");
    default:
      return pendingAction satisfies never;
  }
}

/** A request that waits for a charge; `respond` is its response, undefined while it has to wait on. */
export type WaitingRequest = Omit<LockedRequest, "response"> & {
  respond: (before: Payment, after: Payment) => StoredResponse | undefined;
};

/**
 * Writes what a network answered about a charge, with what becomes of its payment and of the request that waits;
 * gives the payment. Where the charge has moved on meanwhile, nothing is written, and the request is answered with
 * what its record says.
 */
export async function storeAnswer(
  ports: Ports,
  due: DueCharge,
  answer: ActionOutcome,
  request?: WaitingRequest,
): Promise<Payment> {
  const { scope, payment } = due;
  const from = due.charge.pendingAction;
  const { charge, payment: next } = nextChargeStep(due, answer, ports.clock());
  const response = request?.respond(payment, next ?? payment);
  const outcome = await ports.store.updateCharge({
    scope,
    paymentId: payment.id,
    from,
    charge,
    payment: next && { next, from: payment.status, event: buildEvent(ports) },
    request: request && response && { ...request, response },
  });
  if (outcome === "written") return next ?? payment;
  if (outcome === "conflict" && request && from === "charge") {
    await ports.store.releaseLock(scope, { key: request.key, fingerprint: request.fingerprint });
  }
  return payment;
}
