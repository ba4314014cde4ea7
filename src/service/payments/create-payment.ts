import type { Card, CreatePaymentBody } from "../../contract/payment.ts";
import { isLuhnValid } from "../../contract/card.ts";
import { Unavailable } from "../../runtime/failures.ts";
import { maskCard } from "../domain/mask-card.ts";
import {
  beginPayment,
  toCustomer,
  type Payment,
  type ProcessingPayment,
  succeedPayment,
} from "../domain/payment-state.ts";
import { parseCreated } from "../domain/object-id.ts";
import {
  runIdempotently,
  type Response,
  type WriteResult,
  type IdempotentRequest,
  type RecordInput,
} from "../idempotency/run-idempotently.ts";
import type { Charge, ChargeOutcome, GuardedNetwork, LocalNetwork } from "../ports/card-network.ts";
import { chargeCard, networkBusyError, buildCharge, withNetworkTimeout } from "./ask-network.ts";
import { computeEventTimes } from "../webhooks/event-log.ts";
import type { StoredResponse, Scope, WriteOutcome } from "../ports/idempotency-record.ts";
import type { Settlement } from "../ports/payment-store.ts";
import type { Ports } from "../ports/ports.ts";
import { ServiceError } from "../domain/service-error.ts";

/**
 * Creates a payment from card details (specification: create a direct API payment). Answers 201
 * with the payment: `succeeded`, or `pending` where it will be declined later.
 * Errors: parameter_invalid, idempotency_key_reused, idempotency_key_in_use, service_unavailable.
 */
export async function createPayment(
  ports: Ports,
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
  const network = ports.networkOf(scope);
  const card = maskCard(body.card, network.countryOf(body.card));
  return await runIdempotently(ports, scope, request, async (recordOf) =>
    network.isLocal
      ? await decideHere(ports, scope, body, card, { network, recordOf })
      : await chargeElsewhere(ports, scope, body, card, { network, recordOf, request }),
  );
}

/** What is decided in this process is written together with the payment. */
async function decideHere(
  ports: Ports,
  scope: Scope,
  body: CreatePaymentBody,
  card: Card,
  { network, recordOf }: { network: LocalNetwork; recordOf: RecordInput },
): Promise<WriteOutcome> {
  const decided = await network.charge(localCharge(ports, scope, body), body.card);
  return await ports.store.createPayment(() => {
    const draft = beginFrom(body, card, scope, ports.ids.payment());
    const payment =
      decided.outcome === "approved" ? succeedPayment(draft, draft.card, draft.created) : draft;
    return {
      scope,
      payment,
      event: computeEventTimes(ports),
      settlement: settlementOf(decided, ports.clock()),
      page: undefined,
      charge: undefined,
      idempotency: recordOf({ status: 201, body: JSON.stringify(payment) }),
    };
  }, scope.accountId);
}

/** A charge of a network that keeps nothing by its id: so the payment's own is made as late as ever. */
function localCharge(ports: Ports, scope: Scope, body: CreatePaymentBody): Charge {
  return {
    id: ports.ids.unique(),
    accountId: scope.accountId,
    amount: body.amount,
    currency: body.currency,
    description: body.description ?? null,
    customer: null,
    reference: null,
    begunAtMs: ports.clock(),
  };
}

/** When to ask about a charge whose outcome is not known yet. */
export function settlementOf(decided: ChargeOutcome, nowMs: number): Settlement | undefined {
  return decided.outcome === "processing"
    ? { reference: decided.reference ?? "", dueAtMs: nowMs + decided.retryAfterMs }
    : undefined;
}

/**
 * The payment, its charge and the request are written before a network that moves money hears of them. A
 * decline is told as everywhere: the payment is answered as pending, and has failed by then.
 */
async function chargeElsewhere(
  ports: Ports,
  scope: Scope,
  body: CreatePaymentBody,
  card: Card,
  asked: { network: GuardedNetwork; recordOf: RecordInput; request: IdempotentRequest | undefined },
): Promise<WriteResult> {
  const sinceMs = performance.now();
  using places = new DisposableStack();
  const { accountId } = scope;
  const admission = places.use(await asked.network.admit({ accountId, purpose: "charge" }));
  if (!admission) throw networkBusyError();
  const charge = buildCharge(asked.network.name, ports.clock());
  let pending: ProcessingPayment | undefined;
  const written = await ports.store.createPayment(() => {
    const payment = beginFrom(body, card, scope, ports.ids.payment());
    pending = payment;
    const idempotency = asked.recordOf(answerOf(payment), charge.dueAtMs);
    const event = computeEventTimes(ports);
    return { scope, payment, event, settlement: undefined, page: undefined, charge, idempotency };
  }, accountId);
  const payment = pending;
  if (written.outcome !== "written" || !payment) return written;
  const request = asked.request && {
    ...asked.request,
    answerOf: (after: Payment) => answerOf(after.status === "succeeded" ? after : payment),
  };
  const due = { scope, payment, charge };
  const charged = chargeCard(ports, admission.network, due, body.card, request);
  const asking = { place: places.move(), sinceMs };
  try {
    const after = await withNetworkTimeout(ports, asking, charged);
    if (!after)
      return { ...written, response: await answerOfRecord(ports, scope, payment, request) };
    return { ...written, response: answerOf(after.status === "succeeded" ? after : payment) };
  } catch (error) {
    // It may be charged, and is settled later: without a key whoever tried again would be charged twice.
    if (!(error instanceof Unavailable) || request) throw error;
    return { ...written, response: answerOf(payment) };
  }
}

/** What the record of a request says, which is its answer from now on, whatever the network says later. */
async function answerOfRecord(
  { store, clock }: Ports,
  scope: Scope,
  payment: Payment,
  request: IdempotentRequest | undefined,
): Promise<StoredResponse> {
  if (!request) return answerOf(payment);
  await store.releaseLock(scope, request);
  const kept = await store.findStoredResponse(scope, request.key, clock());
  return kept?.response ?? answerOf(payment);
}

function answerOf(payment: Payment): StoredResponse {
  return { status: 201, body: JSON.stringify(payment) };
}

function beginFrom(body: CreatePaymentBody, card: Card, scope: Scope, id: string) {
  return beginPayment({
    id,
    amount: body.amount,
    currency: body.currency,
    description: body.description ?? null,
    card,
    customer: toCustomer(body.customer, body.card.holder_name),
    metadata: body.metadata ?? {},
    redirect_url: null,
    created: parseCreated(id),
    livemode: scope.livemode,
  });
}
