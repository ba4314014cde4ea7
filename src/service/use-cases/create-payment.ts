import type { Card, CreatePaymentBody } from "../../contract/payment.ts";
import { isLuhnValid } from "../../contract/card.ts";
import { maskCard } from "../domain/card.ts";
import {
  begin,
  customerOf,
  type Payment,
  type PendingPayment,
  succeed,
} from "../domain/payment.ts";
import { createdOf } from "../domain/payment-id.ts";
import { answerOnce, type Answer, type IdempotentRequest } from "./answer-once.ts";
import type { AuthorizationAnswer, Ports, Scope, Settlement } from "./ports.ts";
import { ServiceError } from "./service-error.ts";

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
): Promise<Answer> {
  if (!isLuhnValid(body.card.number)) {
    throw new ServiceError(
      "parameter_invalid",
      "card[number] is not a valid card number: its check digit does not match. Check it for a typing mistake.",
      "card[number]",
    );
  }
  return await answerOnce(ports, scope, request, async (recordOf) => {
    const network = ports.networkOf(scope);
    const card = maskCard(body.card, network.countryOf(body.card));
    const authorized = await network.authorize({
      // Of two requests that misuse one key on two replicas, neither gets the other's approval.
      idempotencyKey: request
        ? `${scope.accountId}/${request.key}/${request.fingerprint}`
        : ports.ids.unique(),
      amount: body.amount,
      currency: body.currency,
      card: body.card,
      atMs: ports.clock(),
    });
    return await ports.store.createPayment(() => {
      const draft = beginFrom(body, card, scope, ports.ids.payment());
      const payment = applied(draft, authorized);
      return {
        scope,
        payment,
        settlement: settlementOf(authorized),
        page: undefined,
        idempotency: recordOf({ status: 201, body: JSON.stringify(payment) }),
      };
    });
  });
}

/** When to ask about an authorization whose outcome is not known yet. */
export function settlementOf(authorized: AuthorizationAnswer): Settlement | undefined {
  return authorized.outcome === "processing"
    ? { reference: authorized.reference, dueAtMs: authorized.askAgainAtMs }
    : undefined;
}

type DirectDraft = PendingPayment & { card: Card };

function beginFrom(body: CreatePaymentBody, card: Card, scope: Scope, id: string): DirectDraft {
  const pending = begin({
    id,
    amount: body.amount,
    currency: body.currency,
    description: body.description ?? null,
    card,
    customer: customerOf(body.customer, body.card.holder_name),
    metadata: body.metadata ?? {},
    redirect_url: null,
    created: createdOf(id),
    livemode: scope.livemode,
  });
  return { ...pending, card };
}

function applied(draft: DirectDraft, authorized: AuthorizationAnswer): Payment {
  return authorized.outcome === "approved" ? succeed(draft, draft.card, draft.created) : draft;
}
