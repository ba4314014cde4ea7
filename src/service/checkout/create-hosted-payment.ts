import type { CheckoutService } from "./find-page.ts";
import type { CreateHostedBody } from "../../contract/payment.ts";
import { beginPayment, draftPayment } from "../payments/payment-state.ts";
import { toTokenPrefix } from "../payments/hosted-page-state.ts";
import { parseCreated } from "../database/ids.ts";
import {
  runIdempotently,
  type Response,
  type IdempotentRequest,
  type IdempotentWork,
} from "../idempotency/run-idempotently.ts";
import { computeEventTimes } from "../webhooks/webhooks-service.ts";
import type { Scope } from "../database/scope.ts";
import { ServiceError } from "../../contract/error.ts";

const tokenLength = 26; // 26 base62 characters hold 154 bits

/**
 * Creates a payment that its customer pays on a page (specification: Hosted payment page flow).
 * Answers 201 with the payment: `pending`, without a card, and the page's address in `redirect_url`.
 * Errors: endpoint_not_found where no page can be opened, idempotency_key_reused,
 * idempotency_key_in_use, service_unavailable.
 */
export async function createHostedPayment(
  service: CheckoutService,
  scope: Scope,
  body: CreateHostedBody,
  request?: IdempotentRequest,
): Promise<Response> {
  const create: IdempotentWork = async (toRecord) => {
    const publicUrl = service.publicUrl();
    if (publicUrl === undefined) throw pagesUnavailableError();
    const { expires_in: lifeSeconds } = body;
    const lifeMs = lifeSeconds == null ? service.hppExpiryMs : lifeSeconds * 1_000;
    const token = toTokenPrefix(scope.accountId) + service.ids.secret(tokenLength);
    return await service.store.createPayment(() => {
      const id = service.ids.payment();
      const page = { card: null, redirect_url: `${publicUrl}/pay/${token}` };
      const draft = draftPayment(body, { ...page, livemode: scope.livemode });
      const payment = beginPayment(draft, { id, created: parseCreated(id) });
      const json = JSON.stringify(payment);
      return {
        scope,
        payment,
        json,
        event: computeEventTimes(service),
        charge: undefined,
        page: {
          token,
          returnUrl: body.return_url ?? null,
          expiresAtMs: service.clock() + lifeMs,
        },
        idempotency: toRecord({ status: 201, body: json }),
      };
    }, scope.accountId);
  };
  return await runIdempotently(service, scope, request, create, { claimsAtOnce: true });
}

/** The embedded service has no address and ends with its command, so no customer could pay there. */
function pagesUnavailableError(): ServiceError {
  return new ServiceError(
    "endpoint_not_found",
    "A payment page needs a running service, which this one inside the command is not. Start one with `payments serve`, and create the payment there.",
  );
}
