import { Unavailable } from "../../runtime/failures.ts";
import { withTimeout } from "../../runtime/timeouts.ts";
import {
  newCharge,
  nextChargeStep,
  type ActionOutcome,
  type ChargeState,
} from "../domain/charge-state.ts";
import type { Payment } from "../domain/payment-state.ts";
import type { CardNetwork, Charge, LocalNetwork } from "../ports/card-network.ts";
import type { LockedRequest, Scope, StoredResponse } from "../ports/idempotency-record.ts";
import type { DueCharge, StoredCharge } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";
import { buildEvent } from "../webhooks/event-log.ts";

// Calls of a network about a charge, always by the payment's id, and the writing of its answers. An answer is written
// once, whether a request calls the network or the job that settles due charges.

/**
 * Longer than a network takes for all calls of a charge. If it takes longer still, another replica looks the charge
 * up meanwhile, which is harmless.
 */
const leaseMs = 30_000;
export const networkTimeoutMs = 10_000;

export function computeLeaseEnd(nowMs: number): number {
  return nowMs + leaseMs;
}

export function startCharge(network: string, nowMs: number) {
  return { ...newCharge, network, begunAtMs: nowMs, dueAtMs: computeLeaseEnd(nowMs) };
}

/** The simulator of a mode. A simulated charge is the simulator's also while another network is attached. */
export function getSimulator(ports: Ports, scope: Scope): LocalNetwork {
  const network = ports.networkOf(scope);
  return network.isLocal ? network : ports.simulator;
}

export function networkBusyError(): Unavailable {
  return new Unavailable(
    "The card network cannot be asked at the moment; nothing was written. Try again, with the same Idempotency-Key.",
    { isPublic: true },
  );
}

/**
 * The result of a network call; undefined after the timeout, which counts from the beginning of the request. The call
 * then goes on, and holds its slot until it ends.
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

export function toCharge({
  scope,
  payment,
  charge,
}: {
  scope: Scope;
  payment: Pick<
    Payment,
    "id" | "amount" | "currency" | "description" | "card" | "customer" | "redirect_url"
  >;
  charge: StoredCharge;
}): Charge {
  const { id, amount, currency, description, card, customer, redirect_url: page } = payment;
  return {
    id,
    accountId: scope.accountId,
    amount,
    currency,
    description,
    customer: { email: customer.email || null, name: customer.name || null },
    returnUrl: page && `${page}/return`,
    reference: charge.reference,
    last4: card?.last4,
    begunAtMs: charge.begunAtMs,
  };
}

/** Performs the pending action of a charge at its network. */
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

/** A request that waits for a charge; `respond` returns its response, or undefined while it has none. */
export type WaitingRequest = Omit<LockedRequest, "response"> & {
  respond: (before: Payment, after: Payment) => StoredResponse | undefined;
};

/**
 * Writes a network's answer about a charge, with the payment's next state and the response of the request that waits;
 * returns the payment. If the charge has changed meanwhile, nothing is written, and the request is answered with its
 * stored response.
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
  if (outcome === "written") {
    if (from === "charge" || from === "cancel")
      reportChallenge(ports, due, { answer, charge, next });
    return next ?? payment;
  }
  if (outcome === "conflict" && request && from === "charge") {
    await ports.store.releaseLock(scope, { key: request.key, fingerprint: request.fingerprint });
  }
  return payment;
}

/** Counts a challenge that begins, or ends with its payment. */
function reportChallenge(
  { observeChallenge }: Ports,
  { charge: { challengedAtMs } }: DueCharge,
  {
    answer,
    charge,
    next,
  }: { answer: ActionOutcome; charge: ChargeState; next?: Payment | undefined },
): void {
  if (challengedAtMs === null) {
    if (charge.challengedAtMs !== null) observeChallenge?.("begun");
  } else if (next?.status === "succeeded") observeChallenge?.("approved");
  else if (next?.status === "failed") {
    const isAbandoned = answer.outcome === "action" || answer.outcome === "unknown";
    observeChallenge?.(isAbandoned ? "abandoned" : "declined");
  }
}
