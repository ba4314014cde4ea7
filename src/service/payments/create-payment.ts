import type { PaymentsService } from "./payments-store.ts";
import { isLuhnValid } from "../../contract/card.ts";
import type { CreatePaymentBody } from "../../contract/payment.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { maskCard, beginPayment, draftPayment, type Payment } from "./payment-state.ts";
import { parseCreated } from "../database/ids.ts";
import { ServiceError } from "../../contract/error.ts";
import {
  runIdempotently,
  type IdempotentRequest,
  type IdempotentWork,
  type Response,
} from "../idempotency/run-idempotently.ts";
import type { Scope } from "../database/scope.ts";
import type { StoredResponse } from "../idempotency/idempotency-store.ts";
import { computeEventTimes } from "../webhooks/webhooks-service.ts";
import { authorize, networkBusyError } from "./ask-network.ts";

/**
 * Creates a payment from card details (specification: create a direct API payment). Answers 201
 * with the payment: `succeeded`, or `pending` where it is declined later, also where it was declined by now.
 * Errors: parameter_invalid, idempotency_key_reused, idempotency_key_in_use, service_unavailable.
 */
export async function createPayment(
  service: PaymentsService,
  scope: Scope,
  body: CreatePaymentBody,
  request?: IdempotentRequest,
): Promise<Response> {
  if (!isLuhnValid(body.card.number)) {
    throw new ServiceError(
      "parameter_invalid",
      "card[number] is not a valid card number: its check digit does not match. Check it for a typing mistake.",
      "card[number]",
    );
  }
  const network = service.networkOf(scope);
  const card = maskCard(body.card, network.countryOf(body.card));
  const { livemode } = scope;
  const draft = draftPayment(body, { card, redirect_url: null, livemode }, body.card.holder_name);
  const create: IdempotentWork = async (toRecord) => {
    const authorized = await authorize(service, network, {
      scope,
      card: body.card,
      draft,
      request: request && { ...request, respond },
      write: (begin) =>
        service.store.createPayment(() => {
          const id = service.ids.payment();
          const begun = begin(beginPayment(draft, { id, created: parseCreated(id) }));
          const { payment, charge, lockedUntilMs } = begun;
          const response = toResponse(payment);
          const idempotency = toRecord(response, lockedUntilMs);
          const event = computeEventTimes(service);
          const json = response.body;
          return { scope, payment, json, event, page: undefined, charge, idempotency };
        }, scope.accountId),
    });
    if (!authorized) throw networkBusyError();
    const { written, payment, charged } = authorized;
    if (!payment || !charged) return written;
    return {
      outcome: "written",
      response: await respondWhenCharged(service, scope, payment, { charged, request }),
    };
  };
  return await runIdempotently(service, scope, request, create, { claimsAtOnce: network.isLocal });
}

async function respondWhenCharged(
  service: PaymentsService,
  scope: Scope,
  payment: Payment,
  {
    charged,
    request,
  }: { charged: Promise<Payment | undefined>; request: IdempotentRequest | undefined },
): Promise<StoredResponse> {
  try {
    const after = await charged;
    return after
      ? respond(payment, after)
      : await respondFromRecord(service, scope, payment, request);
  } catch (error) {
    // The card may have been charged, and the payment is settled later: without an idempotency key a retry would
    // charge the customer twice.
    if (!(error instanceof Unavailable) || request) throw error;
    return toResponse(payment);
  }
}

/** The stored response of a request, which is final from now on, whatever the network answers later. */
async function respondFromRecord(
  { store, clock }: PaymentsService,
  scope: Scope,
  payment: Payment,
  request: IdempotentRequest | undefined,
): Promise<StoredResponse> {
  if (!request) return toResponse(payment);
  await store.releaseLock(scope, request);
  const stored = await store.findStoredResponse(scope, request.key, clock());
  return stored?.response ?? toResponse(payment);
}

/** A decline is never in the first response: the payment is pending there, as with every other network. */
function respond(before: Payment, after: Payment): StoredResponse {
  return toResponse(after.status === "succeeded" ? after : before);
}

function toResponse(payment: Payment): StoredResponse {
  return { status: 201, body: JSON.stringify(payment) };
}
