import { setTimeout as delay } from "node:timers/promises";
import type { Action, Activity } from "../../contract/administration.ts";
import { ServiceError } from "../../contract/error.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { type Principal, buildAuditEntries } from "../accounts/accounts-service.ts";
import type { Scope } from "../database/scope.ts";
import {
  type ChangeOutcome,
  type StoredResponse,
  noResponseYet,
} from "../idempotency/idempotency-store.ts";
import {
  type IdempotentRequest,
  type RecordInput,
  type Response,
  type WriteResult,
  runIdempotently,
} from "../idempotency/run-idempotently.ts";
import type {
  GuardedNetwork,
  LocalNetwork,
  Permit,
  RefundOutcome,
} from "../networks/card-network.ts";
import { buildEvent } from "../webhooks/webhooks-service.ts";
import {
  askNetwork,
  computeLeaseEnd,
  getSimulator,
  networkBusyError,
  networkTimeoutMs,
  startCharge,
  storeAnswer,
  toCharge,
  withNetworkTimeout,
} from "./ask-network.ts";
import type { DueCharge, StoredCharge } from "./charges-sql.ts";
import { getPayment, getPaymentWithCharge } from "./get-payment.ts";
import { type Payment, type RefundRefusal, refund } from "./payment-state.ts";
import type { PaymentsService } from "./payments-store.ts";
import { settleCharge } from "./settle-charges.ts";

/**
 * Refunds a succeeded payment in full (specification: refund a payment), within the limit of its caller. Answers 200
 * with the payment. `reason` stands in the audit log. Errors: resource_missing, refund_limit_exceeded,
 * payment_not_refundable, payment_already_refunded, refund_declined, idempotency_key_reused, idempotency_key_in_use,
 * service_unavailable.
 */
export async function refundPayment(
  service: PaymentsService,
  scope: Scope,
  id: string,
  request?: IdempotentRequest,
  caller?: Pick<Principal, "actor" | "maxRefund">,
  reason?: string,
): Promise<Response> {
  // Before a stored response is replayed: another key may have made it.
  if (caller && caller.maxRefund !== null) {
    await requireWithin(service, scope, id, caller.maxRefund);
  }
  return await runIdempotently(service, scope, request, async (toRecord, isRetry) => {
    const { payment: json, charge } = await getPaymentWithCharge(service, scope, id);
    const payment = JSON.parse(json) as Payment;
    if (isRetry && payment.status === "refunded") {
      return await storeLateResponse(service, scope, payment, request);
    }
    const refunded = refund(payment, Math.floor(service.clock() / 1000));
    if (typeof refunded === "string") throw refundRefusedError(refunded);
    const audit = (action: Action) =>
      buildAuditEntries(service, caller?.actor, {
        ...scope,
        action,
        subject: { id, name: null },
        detail: reason,
      });
    const isSimulated = !charge || charge.network === service.simulator.name;
    const network = isSimulated ? getSimulator(service, scope) : service.networkOf(scope);
    if (charge && !isSimulated && (network.isLocal || network.name !== charge.network)) {
      throw otherNetworkError(charge);
    }
    const due = { scope, payment, charge: charge ?? startCharge(network.name, service.clock()) };
    const answer = network.isLocal ? await askSimulator(network, due) : undefined;
    if (answer?.outcome === "declined") throw refundDeclinedError();
    // Most refunds of simulated payments are made in one commit, whatever network is attached by now.
    if (answer?.outcome === "refunded") {
      const written = await service.store.transition({
        scope,
        payment: refunded,
        event: buildEvent(service),
        from: "succeeded",
        idempotency: toRecord(toRefundResponse(refunded)),
        activity: audit("payment.refunded"),
      });
      // Only a refund leads out of `succeeded`, so another one came first.
      if (written.outcome === "conflict") throw refundRefusedError("payment_already_refunded");
      return written;
    }
    // A retry is the same request, and is in the audit log once.
    const activity = isRetry ? [] : audit("payment.refund_requested");
    return await refundAtNetwork(service, due, { network, answer, toRecord, request, activity });
  });
}

/** Refuses a refund above the limit of a key. Errors: resource_missing, refund_limit_exceeded. */
async function requireWithin(
  service: PaymentsService,
  scope: Scope,
  id: string,
  maxRefund: number,
): Promise<void> {
  const { amount } = JSON.parse(await getPayment(service, scope, id)) as Payment;
  if (amount <= maxRefund) return;
  throw new ServiceError(
    "refund_limit_exceeded",
    `This API key may refund at most ${maxRefund} in minor units, and this payment is larger. Nothing was refunded; use another key.`,
  );
}

/** The simulator's decision about a refund, unless that was requested before. */
async function askSimulator(
  network: LocalNetwork,
  due: DueCharge,
): Promise<RefundOutcome | undefined> {
  return due.charge.pendingAction === "refund" ? undefined : await network.refund(toCharge(due));
}

function otherNetworkError({ network, pendingAction }: StoredCharge): Unavailable {
  const state =
    pendingAction === "refund"
      ? "its refund was requested there, and it is not known whether it was made. A service that is started with its --network goes on asking"
      : "nothing was refunded. A service that is started with its --network can refund it";
  return new Unavailable(
    `This payment was charged by another card network than this service is attached to, and only that one can give it back; ${state}: ${network}`,
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
async function refundAtNetwork(
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
  // Without a slot this request waits for a refund that another one has asked for. If the network declines that one,
  // the job that settles due charges asks for this request's.
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
async function storeLateResponse(
  { store }: PaymentsService,
  scope: Scope,
  payment: Payment,
  request: IdempotentRequest | undefined,
): Promise<WriteResult> {
  const response = toRefundResponse(payment);
  if (request) await store.releaseLock(scope, { ...request, response });
  return { outcome: "written", response };
}

function toRefundResponse(payment: Payment): StoredResponse {
  return { status: 200, body: JSON.stringify(payment) };
}

function refundDeclinedError(): ServiceError {
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
