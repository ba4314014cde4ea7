import { setTimeout as delay } from "node:timers/promises";
import type { PaymentsService } from "./payments-store.ts";
import { Unavailable } from "../../runtime/failures.ts";
import type {
  GuardedNetwork,
  LocalNetwork,
  Permit,
  RefundOutcome,
} from "../networks/card-network.ts";
import type { Payment } from "./payment-state.ts";
import { ServiceError } from "../../contract/error.ts";
import type {
  IdempotentRequest,
  RecordInput,
  WriteResult,
} from "../idempotency/run-idempotently.ts";
import type { Activity } from "../../contract/administration.ts";
import type { Scope } from "../database/scope.ts";
import { type ChangeOutcome, noResponseYet } from "../idempotency/idempotency-store.ts";
import type { StoredResponse } from "../idempotency/idempotency-sql.ts";
import type { DueCharge } from "./charges-sql.ts";
import {
  askNetwork,
  computeLeaseEnd,
  networkBusyError,
  networkTimeoutMs,
  storeAnswer,
  withNetworkTimeout,
} from "./ask-network.ts";
import { getPayment } from "./get-payment.ts";
import { settleCharge } from "./settle-charges.ts";

/** The network has not made a requested refund yet; the service goes on asking. */
export class RefundInProgress extends Unavailable {}

const pollMs = 100;

type Requested = {
  network: GuardedNetwork | LocalNetwork;
  /** Of a local network, which decides before the refund is written. */
  answer: RefundOutcome | undefined;
  toRecord: RecordInput;
  request: IdempotentRequest | undefined;
  activity: readonly Activity[];
};

/**
 * The refund is written as pending before the network is called. The network is called until the outcome is known: by
 * this request, and after its timeout by the job that settles due charges.
 */
export async function refundAtNetwork(
  service: PaymentsService,
  due: DueCharge,
  requested: Requested,
): Promise<WriteResult> {
  const { scope, payment } = due;
  const { network, request } = requested;
  const sinceMs = performance.now();
  const deadlineMs = sinceMs + (service.timeouts?.refundMs ?? networkTimeoutMs);
  const written = await requestRefund(service, due, { ...requested, sinceMs });
  if (written.outcome !== "written" && written.outcome !== "conflict") return written;
  for (;;) {
    // Read before its payment: the refund may be made between the two, and is then not declined.
    const charge = await service.store.findCharge(scope, payment.id);
    const now = JSON.parse(await getPayment(service, scope, payment.id)) as Payment;
    if (now.status === "refunded") return await storeLateResponse(service, scope, now, request);
    const isDeclined = charge?.pendingAction === "none";
    const isDue = charge?.pendingAction === "refund" && (charge.dueAtMs ?? 0) <= service.clock();
    if (network.isLocal && isDue) {
      // A command's own service has no job that would settle it.
      await settleCharge(service, network, { scope, payment: now, charge });
      continue;
    }
    if (isDeclined || performance.now() > deadlineMs) {
      if (request) await service.store.releaseLock(scope, request);
      throw isDeclined ? refundDeclinedError() : inProgressError();
    }
    await delay(pollMs);
  }
}

/** Calls the network once, unless another request does. The slot is released while the caller waits. */
async function requestRefund(
  service: PaymentsService,
  { scope, payment, charge }: DueCharge,
  { network, answer, toRecord, request, activity, sinceMs }: Requested & { sinceMs: number },
): Promise<ChangeOutcome> {
  using slots = new DisposableStack();
  const { accountId } = scope;
  const permit: Permit | undefined = network.isLocal
    ? { network, [Symbol.dispose]: () => {} }
    : await network.admit({ accountId, purpose: "settlement" });
  if (permit) slots.use(permit);
  // Without a slot a refund that another request has asked for is waited for. Should that one be declined meanwhile, the
  // job that settles due charges asks for this one.
  else if (!(await isRefundInProgress(service, scope, payment.id))) throw networkBusyError();
  const nowMs = service.clock();
  const dueAtMs = computeLeaseEnd(nowMs);
  const written = await service.store.requestRefund({
    scope,
    paymentId: payment.id,
    nowMs,
    dueAtMs,
    idempotency: toRecord(noResponseYet, dueAtMs),
    activity,
  });
  if (written.outcome === "written" && permit) {
    const state = { pendingAction: "refund", attempts: 0, dueAtMs } as const;
    const due = { scope, payment, charge: { ...charge, ...state } };
    const waiting = request && {
      ...request,
      respond: (_: Payment, after: Payment) =>
        after.status === "refunded" ? toRefundResponse(after) : undefined,
    };
    const asked = answer ? Promise.resolve(answer) : askNetwork(permit.network, due);
    const call = asked.then(async (heard) =>
      storeAnswer(service, permit.network, due, heard, waiting),
    );
    await withNetworkTimeout(service, { slot: slots.move(), sinceMs }, call);
  }
  return written;
}

export async function isRefundInProgress(
  { store }: PaymentsService,
  scope: Scope,
  id: string,
): Promise<boolean> {
  const charge = await store.findCharge(scope, id);
  return charge?.pendingAction === "refund";
}

/** Stores the response of a refund that was made after its request had timed out. */
export async function storeLateResponse(
  { store }: PaymentsService,
  scope: Scope,
  payment: Payment,
  request: IdempotentRequest | undefined,
): Promise<WriteResult> {
  const response = toRefundResponse(payment);
  if (request) await store.releaseLock(scope, { ...request, response });
  return { outcome: "written", response };
}

export function toRefundResponse(payment: Payment): StoredResponse {
  return { status: 200, body: JSON.stringify(payment) };
}

export function refundDeclinedError(): ServiceError {
  return new ServiceError(
    "refund_declined",
    "The card network has declined the refund; the payment stays succeeded, and nothing was given back.",
  );
}

function inProgressError(): RefundInProgress {
  return new RefundInProgress(
    "The card network has not made the refund yet. The service goes on asking; send the same request again for its outcome.",
    { isPublic: true },
  );
}
