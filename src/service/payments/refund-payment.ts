import { setTimeout as delay } from "node:timers/promises";
import type { Action, Activity, Actor } from "../../contract/activity.ts";
import { Unavailable } from "../../runtime/failures.ts";
import {
  refund,
  type Payment,
  type RefundedPayment,
  type RefundRefusal,
} from "../domain/payment-state.ts";
import { buildAuditEntries } from "../accounts/audit-log.ts";
import {
  runIdempotently,
  type Response,
  type WriteResult,
  type IdempotentRequest,
  type RecordInput,
} from "../idempotency/run-idempotently.ts";
import type { GuardedNetwork } from "../ports/card-network.ts";
import {
  networkBusyError,
  networkTimeoutMs,
  withNetworkTimeout,
  refundCharge,
  computeLeaseEnd,
} from "./ask-network.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import { getPayment } from "./get-payment.ts";
import {
  noResponseYet,
  type ChangeOutcome,
  type StoredResponse,
  type Scope,
  type WriteOutcome,
} from "../ports/idempotency-record.ts";
import type { DueCharge, StoredCharge } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

/** A refund that is wanted of a network, which has not made it yet: the service goes on asking. */
export class RefundInProgress extends Unavailable {}

/** How often a refund is looked for that a network has not made yet. */
const lookAgainMs = 100;

/**
 * Refunds a succeeded payment in full (specification: refund a payment). Answers 200 with the payment.
 * Errors: resource_missing, payment_not_refundable, payment_already_refunded, refund_declined,
 * idempotency_key_reused, idempotency_key_in_use, service_unavailable.
 */
export async function refundPayment(
  ports: Ports,
  scope: Scope,
  id: string,
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(ports, scope, request, async (recordOf, isRetry) => {
    const payment = JSON.parse(await getPayment(ports, scope, id)) as Payment;
    if (isRetry && payment.status === "refunded")
      return await answerLate(ports, scope, payment, request);
    const refunded = refund(payment, Math.floor(ports.clock() / 1000));
    if (typeof refunded === "string") throw refused(refunded);
    const told = (action: Action) =>
      buildAuditEntries(ports, actor, { ...scope, action, subject: { id, name: null } });
    const network = ports.networkOf(scope);
    const charge = await ports.store.findCharge(scope, id);
    // What was decided in this process is given back here, whatever network there is by now.
    if (!charge)
      return await refundHere(ports, scope, refunded, {
        recordOf,
        activity: told("payment.refunded"),
      });
    if (network.isLocal || network.name !== charge.network) throw chargedElsewhere(charge);
    // The same request is one wish, however often the network declines it.
    const activity = isRetry ? [] : told("payment.refund_requested");
    const asked = { network, recordOf, request, activity };
    return await refundElsewhere(ports, { scope, payment, charge }, asked);
  });
}

/** Whether a network is asked for a payment's refund, and has not answered yet. */
export async function isRefundInProgress(
  { store }: Ports,
  scope: Scope,
  id: string,
): Promise<boolean> {
  const charge = await store.findCharge(scope, id);
  return charge?.pendingAction === "refund";
}

async function refundHere(
  ports: Ports,
  scope: Scope,
  refunded: RefundedPayment,
  { recordOf, activity }: Pick<Asked, "recordOf" | "activity">,
): Promise<WriteOutcome> {
  const written = await ports.store.transition({
    scope,
    payment: refunded,
    event: buildEvent(ports),
    from: "succeeded",
    idempotency: recordOf(answerOf(refunded)),
    activity,
  });
  // Only a refund leads out of `succeeded`, so somebody else's came first.
  if (written.outcome === "conflict") throw refused("payment_already_refunded");
  return written;
}

type Asked = {
  network: GuardedNetwork;
  recordOf: RecordInput;
  request: IdempotentRequest | undefined;
  activity: readonly Activity[];
};

/**
 * A refund is written as wanted before the network is asked, and asked for until its outcome is known: by
 * this request, and where that takes too long by whoever settles what is due.
 */
async function refundElsewhere(ports: Ports, due: DueCharge, asked: Asked): Promise<WriteResult> {
  const { scope, payment } = due;
  const { request } = asked;
  const sinceMs = performance.now();
  const deadlineMs = sinceMs + (ports.timeouts?.refundMs ?? networkTimeoutMs);
  const wanted = await askForRefund(ports, due, { ...asked, sinceMs });
  if (wanted.outcome !== "written" && wanted.outcome !== "conflict") return wanted;
  for (;;) {
    // Before its payment: the refund may be made between the two, and is then no declined one.
    const stands = await ports.store.findCharge(scope, payment.id);
    const now = JSON.parse(await getPayment(ports, scope, payment.id)) as Payment;
    if (now.status === "refunded") return await answerLate(ports, scope, now, request);
    const isDeclined = stands?.pendingAction === "none";
    if (isDeclined || performance.now() > deadlineMs) {
      if (request) await ports.store.releaseLock(scope, request);
      throw isDeclined ? declined() : stillAsked();
    }
    await delay(lookAgainMs);
  }
}

/** Asks the network once, where nobody else does; who then waits for the outcome keeps no place of those who ask. */
async function askForRefund(
  ports: Ports,
  { scope, payment, charge }: DueCharge,
  asked: Asked & { sinceMs: number },
): Promise<ChangeOutcome> {
  using places = new DisposableStack();
  const { accountId } = scope;
  const admission = places.use(await asked.network.admit({ accountId, purpose: "settlement" }));
  if (!admission) throw networkBusyError();
  const nowMs = ports.clock();
  const dueAtMs = computeLeaseEnd(nowMs);
  const wanted = await ports.store.requestRefund({
    scope,
    paymentId: payment.id,
    nowMs,
    dueAtMs,
    idempotency: asked.recordOf(noResponseYet, dueAtMs),
    activity: asked.activity,
  });
  if (wanted.outcome === "written") {
    const due = { ...charge, pendingAction: "refund" as const, attempts: 0, dueAtMs };
    const request = asked.request && { ...asked.request, answerOf };
    const wish = { scope, payment, charge: due };
    const refunded = refundCharge(ports, admission.network, wish, request);
    const asking = { place: places.move(), sinceMs: asked.sinceMs };
    await withNetworkTimeout(ports, asking, refunded);
  }
  return wanted;
}

/** A refund that was made since its request came: it is answered now, and again whenever it comes. */
async function answerLate(
  { store }: Ports,
  scope: Scope,
  payment: Payment,
  request: IdempotentRequest | undefined,
): Promise<WriteResult> {
  const response = answerOf(payment);
  if (request) await store.releaseLock(scope, { ...request, response });
  return { outcome: "written", response };
}

function answerOf(payment: Payment): StoredResponse {
  return { status: 200, body: JSON.stringify(payment) };
}

function declined(): ServiceError {
  return new ServiceError(
    "refund_declined",
    "The card network has declined the refund; the payment stays succeeded, and nothing was given back.",
  );
}

function chargedElsewhere({ network }: StoredCharge): Unavailable {
  return new Unavailable(
    `This payment was charged by another card network than this service is attached to, and only that one can give it back; nothing was refunded. A service that is started with its --network can refund it: ${network}`,
    { isPublic: true },
  );
}

function stillAsked(): RefundInProgress {
  return new RefundInProgress(
    "The card network has not made the refund yet. The service goes on asking; send the same request again for its outcome.",
    { isPublic: true },
  );
}

function refused(refusal: RefundRefusal): ServiceError {
  switch (refusal) {
    case "payment_not_refundable":
      return new ServiceError(
        refusal,
        "Only a succeeded payment can be refunded; this one is pending or failed. Retrieve it to see its status.",
      );
    case "payment_already_refunded":
      return new ServiceError(
        refusal,
        "This payment has been refunded before; it was not refunded again.",
      );
    default:
      return refusal satisfies never;
  }
}
