import type { PaymentsService } from "./payments-store.ts";
import type { Action, Actor } from "../../contract/administration.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { buildAuditEntries } from "../accounts/audit-log.ts";
import type { LocalNetwork, RefundOutcome } from "../networks/card-network.ts";
import { refund, type Payment, type RefundRefusal } from "./payment-state.ts";
import { ServiceError } from "../../contract/error.ts";
import {
  runIdempotently,
  type IdempotentRequest,
  type Response,
} from "../idempotency/run-idempotently.ts";
import type { Scope } from "../database/scope.ts";
import type { DueCharge, StoredCharge } from "./charges-sql.ts";
import { buildEvent } from "../webhooks/event-log.ts";
import { getSimulator, startCharge, toCharge } from "./ask-network.ts";
import { getPaymentWithCharge } from "./get-payment.ts";
import {
  refundAtNetwork,
  refundDeclinedError,
  storeLateResponse,
  toRefundResponse,
} from "./refund-at-network.ts";

/**
 * Refunds a succeeded payment in full (specification: refund a payment). Answers 200 with the payment.
 * Errors: resource_missing, payment_not_refundable, payment_already_refunded, refund_declined,
 * idempotency_key_reused, idempotency_key_in_use, service_unavailable.
 */
export async function refundPayment(
  service: PaymentsService,
  scope: Scope,
  id: string,
  request?: IdempotentRequest,
  actor?: Actor,
): Promise<Response> {
  return await runIdempotently(service, scope, request, async (toRecord, isRetry) => {
    const { payment: json, charge } = await getPaymentWithCharge(service, scope, id);
    const payment = JSON.parse(json) as Payment;
    if (isRetry && payment.status === "refunded") {
      return await storeLateResponse(service, scope, payment, request);
    }
    const refunded = refund(payment, Math.floor(service.clock() / 1000));
    if (typeof refunded === "string") throw refundRefusedError(refunded);
    const audit = (action: Action) =>
      buildAuditEntries(service, actor, { ...scope, action, subject: { id, name: null } });
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
