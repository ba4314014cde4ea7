import type { CardInput } from "../../contract/payment.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { withTimeout } from "../../runtime/promises.ts";
import type { Scope } from "../database/scope.ts";
import type { LockedRequest, StoredResponse } from "../idempotency/idempotency-store.ts";
import type {
  ActionOutcome,
  CardNetwork,
  Charge,
  GuardedNetwork,
  LocalNetwork,
} from "../networks/card-network.ts";
import { buildEvent } from "../webhooks/webhooks-service.ts";
import { type ChargeState, newCharge, nextChargeStep } from "./charge-state.ts";
import type { DueCharge, StoredCharge } from "./charges-sql.ts";
import type { Payment, ProcessingPayment } from "./payment-state.ts";
import type { PaymentsService } from "./payments-store.ts";

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
export function getSimulator(service: PaymentsService, scope: Scope): LocalNetwork {
  const network = service.networkOf(scope);
  return network.isLocal ? network : service.simulator;
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
  { timeouts }: PaymentsService,
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
 * returns the payment. A cancel that the answer leads to is sent at once, once it is written. If the charge has changed
 * meanwhile, nothing is written, and the request is answered with its stored response.
 */
export async function storeAnswer(
  service: PaymentsService,
  network: CardNetwork,
  due: DueCharge,
  answer: ActionOutcome,
  request?: WaitingRequest,
): Promise<Payment> {
  const { scope, payment } = due;
  const from = due.charge.pendingAction;
  const nowMs = service.clock();
  const { charge: step, payment: next } = nextChargeStep(due, answer, nowMs);
  const isGivenUp = from === "charge" && step.pendingAction === "cancel";
  const charge = isGivenUp ? { ...step, dueAtMs: computeLeaseEnd(nowMs) } : step;
  const response = request?.respond(payment, next ?? payment);
  const outcome = await service.store.updateCharge({
    scope,
    paymentId: payment.id,
    from,
    charge,
    payment: next && { next, from: payment.status, event: buildEvent(service) },
    request: request && response && { ...request, response },
  });
  if (outcome === "written") {
    if (from === "charge" || from === "cancel")
      reportChallenge(service, due, { answer, charge, next });
    const current = { scope, payment: next ?? payment, charge: { ...due.charge, ...charge } };
    return isGivenUp ? await cancelCharge(service, network, current) : current.payment;
  }
  if (outcome === "conflict" && request && from === "charge") {
    await service.store.releaseLock(scope, { key: request.key, fingerprint: request.fingerprint });
  }
  return payment;
}

/**
 * Sends a cancel that is written; returns the payment. If its answer cannot be written, the job cancels the charge
 * again when the lease ends.
 */
async function cancelCharge(
  service: PaymentsService,
  network: CardNetwork,
  due: DueCharge,
): Promise<Payment> {
  try {
    return await storeAnswer(service, network, due, await network.cancel(toCharge(due)));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return due.payment;
  }
}

/**
 * Sends the cancel of a payment's charge, which is written with a lease. A cancel that gets no slot is due for the job
 * at once, and so is one of another network's charge. If the store fails meanwhile, the job cancels the charge when the
 * lease ends: the request has done its work.
 */
export async function cancelAtNetwork(
  service: PaymentsService,
  network: GuardedNetwork,
  { scope, payment }: Pick<DueCharge, "scope" | "payment">,
): Promise<void> {
  const sinceMs = performance.now();
  using slots = new DisposableStack();
  const { accountId } = scope;
  const permit = slots.use(await network.admit({ accountId, purpose: "settlement" }));
  try {
    const charge = await service.store.findCharge(scope, payment.id);
    if (charge?.pendingAction !== "cancel") return;
    if (permit && charge.network === network.name) {
      const call = cancelCharge(service, permit.network, { scope, payment, charge });
      await withNetworkTimeout(service, { slot: slots.move(), sinceMs }, call);
    } else {
      const due = { dueAtMs: service.clock() };
      await service.store.updateCharge({
        scope,
        paymentId: payment.id,
        from: "cancel",
        charge: due,
      });
    }
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
}

/** Counts a challenge that begins, or ends with its payment. */
function reportChallenge(
  { observeChallenge }: PaymentsService,
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

/** A new payment, and its charge where the outcome is not known yet. */
type Begun = {
  payment: Payment;
  charge: StoredCharge | undefined;
  /** Until then the same request waits for the network's answer; undefined where it has answered. */
  lockedUntilMs: number | undefined;
};

type Authorization<Written> = {
  scope: Scope;
  card: CardInput;
  /** The payment for a local network, which ignores the id. */
  draft: Parameters<typeof toCharge>[0]["payment"];
  /** Writes the payment, as `begin` gives it, with its charge. */
  write: (begin: (payment: ProcessingPayment) => Begun) => Promise<Written>;
  request?: WaitingRequest | undefined;
};

type Authorized<Written> = {
  written: Written;
  payment?: Payment;
  charged?: Promise<Payment | undefined>;
};

/**
 * Asks a network to authorize a payment, which it captures at once. A local network decides at once, and its decision
 * is written in one commit with the payment. A network that moves money is called after payment, charge and idempotency
 * record are written: `charged` resolves to the payment after that, or to undefined where the network takes too long.
 * Returns undefined where the network is busy: nothing was written.
 */
export function authorize<Written extends { outcome: string }>(
  service: PaymentsService,
  network: LocalNetwork | GuardedNetwork,
  authorization: Authorization<Written>,
): Promise<Authorized<Written> | undefined> {
  return network.isLocal
    ? decideAtOnce(service, network, authorization)
    : callNetwork(service, network, authorization);
}

async function decideAtOnce<Written extends { outcome: string }>(
  service: PaymentsService,
  network: LocalNetwork,
  { scope, card, draft, write }: Authorization<Written>,
): Promise<Authorized<Written>> {
  const charge = startCharge(network.name, service.clock());
  const answer = await network.charge(toCharge({ scope, payment: draft, charge }), card);
  let isChallenged = false;
  const written = await write((payment) => {
    const next = nextChargeStep({ payment, charge }, answer, service.clock());
    isChallenged = next.charge.challengeUrl !== null;
    const { pendingAction, reference } = next.charge;
    const isStored = pendingAction !== "none" || network.hasSpecialRefund(reference);
    return {
      payment: next.payment ?? payment,
      charge: isStored ? { ...charge, ...next.charge } : undefined,
      lockedUntilMs: undefined,
    };
  });
  if (isChallenged && written.outcome === "written") service.observeChallenge?.("begun");
  return { written };
}

async function callNetwork<Written extends { outcome: string }>(
  service: PaymentsService,
  network: GuardedNetwork,
  { scope, card, write, request }: Authorization<Written>,
): Promise<Authorized<Written> | undefined> {
  const sinceMs = performance.now();
  using slots = new DisposableStack();
  const { accountId } = scope;
  const permit = slots.use(await network.admit({ accountId, purpose: "charge" }));
  if (!permit) return undefined;
  const charge = startCharge(network.name, service.clock());
  let due: DueCharge | undefined;
  const written = await write((payment) => {
    due = { scope, payment, charge };
    return { payment, charge, lockedUntilMs: charge.dueAtMs };
  });
  if (written.outcome !== "written" || !due) return { written };
  const call = chargeCard(service, permit.network, due, card, request);
  const charged = withNetworkTimeout(service, { slot: slots.move(), sinceMs }, call);
  return { written, payment: due.payment, charged };
}

async function chargeCard(
  service: PaymentsService,
  network: CardNetwork,
  due: DueCharge,
  card: CardInput,
  request: WaitingRequest | undefined,
): Promise<Payment> {
  if (!network.prepare) {
    const answer = await network.charge(toCharge(due), card);
    return await storeAnswer(service, network, due, answer, request);
  }
  const prepared = await network.prepare(toCharge(due));
  if (prepared.outcome === "unknown")
    return await storeAnswer(service, network, due, prepared, request);
  const { reference } = prepared;
  const { scope, payment, charge } = due;
  const named = { ...due, charge: { ...charge, reference } };
  // The reference is stored before the card is sent: without it a lost answer could not be looked up.
  const outcome = await service.store.updateCharge({
    scope,
    paymentId: payment.id,
    from: "charge",
    charge: named.charge,
  });
  if (outcome === "conflict") {
    if (request) await service.store.releaseLock(scope, { ...request, response: undefined });
    return payment;
  }
  const answer = await network.charge(toCharge(named), card);
  return await storeAnswer(service, network, named, answer, request);
}
