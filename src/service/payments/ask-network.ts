import { Unavailable } from "../../runtime/failures.ts";
import type { CardInput } from "../../contract/payment.ts";
import { withTimeout } from "../../runtime/timeouts.ts";
import { failPayment, refund, succeedPayment, type Payment } from "../domain/payment-state.ts";
import type {
  CancelOutcome,
  CardNetwork,
  Charge,
  ChargeOutcome,
  LookUpOutcome,
  Processing,
  RefundOutcome,
  Unknown,
} from "../ports/card-network.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import type { LockedRequest, StoredResponse } from "../ports/idempotency-record.ts";
import type { DueCharge, StoredCharge } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";

// What a network that moves money is asked about a charge, and what is written of what it says. Each thing
// is asked by the payment's id, and each outcome is written once, whoever asks: a request, or a process that
// goes on where another has ended.

/**
 * Longer than a network takes for all that a charge needs: whoever asks now is gone, or was told, by then.
 * Where it does take longer, somebody else asks meanwhile what became of it, which does no harm.
 */
const takenMs = 30_000;
/** How long a request waits for what its network says, from its beginning on. */
export const networkTimeoutMs = 10_000;
const backOffMs = { shortest: 1_000, longest: 60 * 60 * 1_000 };

/** A charge that a network is about to be asked for, at a time. */
export function buildCharge(network: string, nowMs: number): StoredCharge & { dueAtMs: number } {
  const dueAtMs = nowMs + takenMs;
  return {
    network,
    pendingAction: "charge",
    reference: null,
    begunAtMs: nowMs,
    attempts: 0,
    dueAtMs,
  };
}

/** When what is asked for now is asked for again, if whoever asks tells nothing. */
export function computeLeaseEnd(nowMs: number): number {
  return nowMs + takenMs;
}

/** No place to ask from came free, or the network fails: nothing was written. */
export function networkBusyError(): Unavailable {
  return new Unavailable(
    "The card network cannot be asked at the moment; nothing was written. Try again, with the same Idempotency-Key.",
    { isPublic: true },
  );
}

/**
 * What a call of the network comes to; undefined for a request that has waited long enough since it began. The
 * call goes on without it, and keeps its place of those who ask until it ends.
 */
export async function withNetworkTimeout<T>(
  { timeouts }: Ports,
  { place, sinceMs }: { place: Disposable; sinceMs: number },
  call: Promise<T>,
): Promise<T | undefined> {
  const untilMs = sinceMs + (timeouts?.networkMs ?? networkTimeoutMs);
  const ended = call.finally(() => place[Symbol.dispose]());
  return await withTimeout(ended, untilMs - performance.now(), () => undefined);
}

/** How a request's answer is made of what became of its payment. */
type Request = Omit<LockedRequest, "answer"> & { answerOf: (payment: Payment) => StoredResponse };

/**
 * Charges a card, once its charge is written; answers its payment, as the request for it is to be told: as it
 * became, or as it was while that is not known. Where it was given up meanwhile, nothing is written: it is
 * somebody else's to see to.
 */
export async function chargeCard(
  ports: Ports,
  network: CardNetwork,
  due: DueCharge,
  card: CardInput,
  request?: Request,
): Promise<Payment> {
  const prepared = await network.prepare?.(toCharge(due));
  if (prepared?.outcome === "unknown") return await writeCharge(ports, due, prepared, request);
  const reference = prepared?.reference ?? null;
  const named = { ...due, charge: { ...due.charge, reference } };
  const { scope, payment, charge } = named;
  if (reference !== null) {
    const { pendingAction: from, attempts, dueAtMs } = charge;
    const move = { scope, paymentId: payment.id, from, charge: { reference, attempts, dueAtMs } };
    if ((await ports.store.updateCharge(move)) === "conflict")
      return await leave(ports, named, request);
  }
  return await writeCharge(ports, named, await network.charge(toCharge(named), card), request);
}

/** Writes what became of a charge; answers its payment. */
export async function writeCharge(
  ports: Ports,
  due: DueCharge,
  answer: ChargeOutcome | LookUpOutcome,
  request?: Request,
): Promise<Payment> {
  const { scope, payment } = due;
  const next = afterCharge(ports, due, answer);
  const outcome = await ports.store.updateCharge({
    scope,
    paymentId: payment.id,
    from: "charge",
    charge: next.charge,
    payment: next.payment && { next: next.payment, from: "pending", event: buildEvent(ports) },
    request: request && { ...request, response: request.answerOf(next.payment ?? payment) },
  });
  if (outcome === "conflict") return await leave(ports, due, request);
  return outcome === "written" && next.payment ? next.payment : payment;
}

/** Leaves a charge to whoever has moved it on; its request is told what its record says. */
async function leave({ store }: Ports, { scope, payment }: DueCharge, request?: Request) {
  if (request)
    await store.releaseLock(scope, { key: request.key, fingerprint: request.fingerprint });
  return payment;
}

type Next = { charge: Partial<StoredCharge>; payment?: Payment };

function afterCharge(
  ports: Ports,
  { payment, charge }: DueCharge,
  answer: ChargeOutcome | LookUpOutcome,
): Next {
  const nowMs = ports.clock();
  // A process of a version that knows of no charges has ended its payment.
  if (payment.status === "failed") return { charge: { pendingAction: "cancel", dueAtMs: nowMs } };
  if (payment.status !== "pending" || !payment.card) throw new Error("There is nothing to charge.");
  switch (answer.outcome) {
    case "approved":
      return {
        charge: { pendingAction: "none", reference: answer.reference },
        payment: succeedPayment(payment, payment.card, Math.floor(nowMs / 1000)),
      };
    case "declined":
      return {
        charge: { pendingAction: "none" },
        payment: failPayment(payment, answer.code, Math.floor(nowMs / 1000)),
      };
    case "canceled":
      return {
        charge: { pendingAction: "none" },
        payment: failPayment(payment, "processing_error", Math.floor(nowMs / 1000)),
      };
    case "not_found":
      // It may be on its way still: only after a cancel is it certain that nothing will be taken.
      return { charge: { pendingAction: "cancel", dueAtMs: nowMs } };
    case "processing":
    case "unknown":
      return { charge: askedAgain(answer, charge, nowMs) };
    default:
      return answer satisfies never;
  }
}

/** Sees to it that what was given up takes no money; its payment fails, unless it has ended before. */
export async function cancelCharge(
  ports: Ports,
  network: CardNetwork,
  due: DueCharge,
): Promise<void> {
  const { scope, payment, charge } = due;
  const answer: CancelOutcome = await network.cancel(toCharge(due));
  const nowMs = ports.clock();
  const failed =
    answer.outcome === "canceled" && payment.status === "pending"
      ? failPayment(payment, "processing_error", Math.floor(nowMs / 1000))
      : undefined;
  await ports.store.updateCharge({
    scope,
    paymentId: payment.id,
    from: "cancel",
    charge:
      answer.outcome === "canceled" ? { pendingAction: "none" } : askedAgain(answer, charge, nowMs),
    payment: failed && { next: failed, from: "pending", event: buildEvent(ports) },
  });
}

/** Gives money back, once the refund is written as wanted. */
export async function refundCharge(
  ports: Ports,
  network: CardNetwork,
  due: DueCharge,
  request?: Request,
): Promise<void> {
  const { scope, payment, charge } = due;
  const answer: RefundOutcome = await network.refund(toCharge(due));
  const nowMs = ports.clock();
  const refunded =
    answer.outcome === "refunded" ? refund(payment, Math.floor(nowMs / 1000)) : undefined;
  if (typeof refunded === "string") throw new Error("A refund is wanted that cannot be.");
  await ports.store.updateCharge({
    scope,
    paymentId: payment.id,
    from: "refund",
    charge:
      answer.outcome === "processing" || answer.outcome === "unknown"
        ? askedAgain(answer, charge, nowMs)
        : { pendingAction: "none" },
    payment: refunded && { next: refunded, from: "succeeded", event: buildEvent(ports) },
    request: request && refunded && { ...request, response: request.answerOf(refunded) },
  });
}

/** What a network is told of a charge. */
export function toCharge({ scope, payment, charge }: DueCharge): Charge {
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

/** What is not decided is asked again: when the network says, else after 1 s and then at distances that double. */
function askedAgain(
  answer: Processing | Unknown,
  { attempts }: StoredCharge,
  nowMs: number,
): Partial<StoredCharge> {
  if (answer.outcome === "processing") {
    const { reference, retryAfterMs } = answer;
    return { ...(reference !== undefined && { reference }), dueAtMs: nowMs + retryAfterMs };
  }
  if (answer.isUnsent) return { attempts, dueAtMs: nowMs + backOffMs.shortest };
  const pauseMs = Math.min(backOffMs.longest, backOffMs.shortest * 2 ** Math.min(attempts, 20));
  return { attempts: attempts + 1, dueAtMs: nowMs + pauseMs };
}
