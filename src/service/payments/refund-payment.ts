import { setTimeout as delay } from "node:timers/promises";
import type { Action, Activity, Actor } from "../ports/activity.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { buildAuditEntries } from "../accounts/audit-log.ts";
import { refund, type Payment, type RefundRefusal } from "../domain/payment-state.ts";
import { ServiceError } from "../domain/service-error.ts";
import {
  runIdempotently,
  type IdempotentRequest,
  type RecordInput,
  type Response,
  type WriteResult,
} from "../idempotency/run-idempotently.ts";
import type { GuardedNetwork } from "../ports/card-network.ts";
import {
  noResponseYet,
  type ChangeOutcome,
  type Scope,
  type StoredResponse,
} from "../ports/idempotency-record.ts";
import type { DueCharge, StoredCharge } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import {
  askNetwork,
  computeLeaseEnd,
  networkBusyError,
  networkTimeoutMs,
  storeAnswer,
  withNetworkTimeout,
} from "./ask-network.ts";
import { getPayment, getPaymentWithCharge } from "./get-payment.ts";

/** The network has not made a requested refund yet; the service goes on asking. */
export class RefundInProgress extends Unavailable {}

const pollMs = 100;

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
  return await runIdempotently(ports, scope, request, async (toRecord, isRetry) => {
    const { payment: json, charge } = await getPaymentWithCharge(ports, scope, id);
    const payment = JSON.parse(json) as Payment;
    if (isRetry && payment.status === "refunded") {
      return await storeLateResponse(ports, scope, payment, request);
    }
    const refunded = refund(payment, Math.floor(ports.clock() / 1000));
    if (typeof refunded === "string") throw refundRefusedError(refunded);
    const audit = (action: Action) =>
      buildAuditEntries(ports, actor, { ...scope, action, subject: { id, name: null } });
    // A simulated payment is refunded in one commit, whatever network is attached by now.
    if (!charge || charge.network === ports.simulator.name) {
      const written = await ports.store.transition({
        scope,
        payment: refunded,
        event: buildEvent(ports),
        from: "succeeded",
        idempotency: toRecord(toResponse(refunded)),
        activity: audit("payment.refunded"),
      });
      // Only a refund leads out of `succeeded`, so another one came first.
      if (written.outcome === "conflict") throw refundRefusedError("payment_already_refunded");
      return written;
    }
    const network = ports.networkOf(scope);
    if (network.isLocal || network.name !== charge.network) throw otherNetworkError(charge);
    // A retry is the same request, and is in the audit log once.
    const activity = isRetry ? [] : audit("payment.refund_requested");
    const due = { scope, payment, charge };
    return await refundAtNetwork(ports, due, { network, toRecord, request, activity });
  });
}

export async function isRefundInProgress(
  { store }: Ports,
  scope: Scope,
  id: string,
): Promise<boolean> {
  const charge = await store.findCharge(scope, id);
  return charge?.pendingAction === "refund";
}

type Requested = {
  network: GuardedNetwork;
  toRecord: RecordInput;
  request: IdempotentRequest | undefined;
  activity: readonly Activity[];
};

/**
 * The refund is written as pending before the network is called. The network is called until the outcome is known: by
 * this request, and after its timeout by the job that settles due charges.
 */
async function refundAtNetwork(
  ports: Ports,
  due: DueCharge,
  requested: Requested,
): Promise<WriteResult> {
  const { scope, payment } = due;
  const { request } = requested;
  const sinceMs = performance.now();
  const deadlineMs = sinceMs + (ports.timeouts?.refundMs ?? networkTimeoutMs);
  const written = await requestRefund(ports, due, { ...requested, sinceMs });
  if (written.outcome !== "written" && written.outcome !== "conflict") return written;
  for (;;) {
    // Read before its payment: the refund may be made between the two, and is then not declined.
    const charge = await ports.store.findCharge(scope, payment.id);
    const now = JSON.parse(await getPayment(ports, scope, payment.id)) as Payment;
    if (now.status === "refunded") return await storeLateResponse(ports, scope, now, request);
    const isDeclined = charge?.pendingAction === "none";
    if (isDeclined || performance.now() > deadlineMs) {
      if (request) await ports.store.releaseLock(scope, request);
      throw isDeclined ? declinedError() : inProgressError();
    }
    await delay(pollMs);
  }
}

/** Calls the network once, unless another request does. The slot is released while the caller waits. */
async function requestRefund(
  ports: Ports,
  { scope, payment, charge }: DueCharge,
  { network, toRecord, request, activity, sinceMs }: Requested & { sinceMs: number },
): Promise<ChangeOutcome> {
  using slots = new DisposableStack();
  const { accountId } = scope;
  const permit = slots.use(await network.admit({ accountId, purpose: "settlement" }));
  if (!permit) throw networkBusyError();
  const nowMs = ports.clock();
  const dueAtMs = computeLeaseEnd(nowMs);
  const written = await ports.store.requestRefund({
    scope,
    paymentId: payment.id,
    nowMs,
    dueAtMs,
    idempotency: toRecord(noResponseYet, dueAtMs),
    activity,
  });
  if (written.outcome === "written") {
    const state = { pendingAction: "refund", attempts: 0, dueAtMs } as const;
    const due = { scope, payment, charge: { ...charge, ...state } };
    const waiting = request && {
      ...request,
      respond: (_: Payment, after: Payment) =>
        after.status === "refunded" ? toResponse(after) : undefined,
    };
    const call = askNetwork(permit.network, due).then(async (answer) =>
      storeAnswer(ports, due, answer, waiting),
    );
    await withNetworkTimeout(ports, { slot: slots.move(), sinceMs }, call);
  }
  return written;
}

/** Stores the response of a refund that was made after its request had timed out. */
async function storeLateResponse(
  { store }: Ports,
  scope: Scope,
  payment: Payment,
  request: IdempotentRequest | undefined,
): Promise<WriteResult> {
  const response = toResponse(payment);
  if (request) await store.releaseLock(scope, { ...request, response });
  return { outcome: "written", response };
}

function toResponse(payment: Payment): StoredResponse {
  return { status: 200, body: JSON.stringify(payment) };
}

function declinedError(): ServiceError {
  return new ServiceError(
    "refund_declined",
    "The card network has declined the refund; the payment stays succeeded, and nothing was given back.",
  );
}

function otherNetworkError({ network }: StoredCharge): Unavailable {
  return new Unavailable(
    `This payment was charged by another card network than this service is attached to, and only that one can give it back; nothing was refunded. A service that is started with its --network can refund it: ${network}`,
    { isPublic: true },
  );
}

function inProgressError(): RefundInProgress {
  return new RefundInProgress(
    "The card network has not made the refund yet. The service goes on asking; send the same request again for its outcome.",
    { isPublic: true },
  );
}

function refundRefusedError(code: RefundRefusal): ServiceError {
  switch (code) {
    case "payment_not_refundable":
      return new ServiceError(
        code,
        "Only a succeeded payment can be refunded; this one is pending or failed. Retrieve it to see its status.",
      );
    case "payment_already_refunded":
      return new ServiceError(
        code,
        "This payment has been refunded before; it was not refunded again.",
      );
    default:
      return code satisfies never;
  }
}
