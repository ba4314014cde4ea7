import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Event } from "../../../../contract/event.ts";
import type { ErrorCode } from "../../../../contract/error.ts";
import { Unavailable } from "../../../../runtime/failures.ts";
import { maxPageSize } from "../../../../contract/routes.ts";
import type { Payment } from "../../../../contract/payment.ts";
import { matchesAmount } from "../../../domain/typed-amount.ts";
import { statusByCode } from "../../../http/error-reply.ts";
import { getForm } from "../../../http/form-body.ts";
import type { Scope } from "../../../ports/idempotency-record.ts";
import { RefundInProgress } from "../../../payments/refund-payment.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Service } from "../../../use-cases/service.ts";
import { createFormKey, toIdempotentRequest } from "../idempotent-forms.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { renderPayment, type PaymentHistoryEntry } from "../views/payment-view.ts";
import { renderRefundUnderway, renderRefund } from "../views/refund-view.ts";

const path = `${accountPath}/payments/:id`;
/** What the address of a payment says to whoever has refunded it. */
const justRefunded = "just=refunded";
type WithId = FastifyRequest<{ Params: { id: string } }>;

/** A payment, and its refund: a page that asks again, and a form that is answered once. */
export function registerPaymentRoutes(app: FastifyInstance, service: Service): void {
  const find = async (scope: Scope, id: string) =>
    JSON.parse(await service.getPayment(scope, id)) as Payment;
  const isUnderway = async (scope: Scope, { id, status }: Payment) =>
    status === "succeeded" && (await service.isRefundInProgress(scope, id));

  app.get(path, { config: { needs: "look" } }, async ({ visit, params, url }: WithId, reply) => {
    const payment = await find(visit.scope, params.id);
    const [happened, isRefundUnderway] = await Promise.all([
      happenedTo(service, visit.scope, payment),
      isUnderway(visit.scope, payment),
    ]);
    const isJustRefunded = payment.status === "refunded" && url.endsWith(`?${justRefunded}`);
    const shown = { happened, isJustRefunded, isRefundUnderway };
    return sendView(reply, renderPayment(visit, payment, shown));
  });

  const needs = { config: { needs: "refund" } } as const;
  app.get(`${path}/refund`, needs, async ({ visit, params }: WithId, reply) => {
    const payment = await find(visit.scope, params.id);
    const view = (await isUnderway(visit.scope, payment))
      ? renderRefundUnderway(visit, payment)
      : renderRefund(visit, payment, { key: createFormKey() });
    return sendView(reply, view);
  });

  app.post(`${path}/refund`, needs, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, amount } = getForm(request, ["key", "amount"]);
    const payment = await find(visit.scope, params.id);
    if (visit.scope.livemode && !matchesAmount(payment, amount)) {
      const mistake = "This is not the amount of the payment. Nothing was refunded.";
      return sendView(reply, renderRefund(visit, payment, { key, mistake }), 422);
    }
    const asked = { key, path: request.url, body: {} };
    const once = await toIdempotentRequest(service, visit, asked);
    try {
      await service.refundPayment(visit.scope, params.id, once, visit.actor);
    } catch (error) {
      const refusal = saysUnderway(error) ? undefined : refusalIn(error);
      const now = await find(visit.scope, params.id);
      if (!refusal) return sendView(reply, renderRefundUnderway(visit, now), 202);
      const { problem, status } = refusal;
      return sendView(reply, renderRefund(visit, now, { key, problem }), status);
    }
    return reply.redirect(`${visit.addressOf(`/payments/${params.id}`)}?${justRefunded}`, 303);
  });
}

/** The network has been asked by this request, or by an earlier one of the same form. */
function saysUnderway(error: unknown): boolean {
  if (error instanceof RefundInProgress) return true;
  return error instanceof ServiceError && error.code === "idempotency_key_in_use";
}

const refusals: { [Code in ErrorCode]?: string } = {
  payment_not_refundable: "Only a payment that has succeeded can be refunded.",
  payment_already_refunded: "This payment was refunded before. It was not refunded again.",
  refund_declined:
    "The card network declined the refund, and nothing was given back. Ask the network why, or give the money back in another way.",
};

/** Why a payment was not refunded, in words; what those are not for is thrown on. */
function refusalIn(error: unknown): { problem: string; status: number } {
  if (error instanceof Unavailable && error.isPublic) {
    const problem =
      "The card network that took this payment cannot be asked at the moment. Nothing was refunded.";
    return { problem, status: statusByCode.service_unavailable };
  }
  const problem = error instanceof ServiceError && refusals[error.code];
  if (!problem) throw error;
  return { problem, status: statusByCode[error.code] };
}

/** What happened to a payment, oldest first, and how far each endpoint has been told. */
async function happenedTo(
  service: Service,
  scope: Scope,
  { id }: Payment,
): Promise<PaymentHistoryEntry[]> {
  const [listed, endpoints] = await Promise.all([
    service.listEvents(scope, { payment: id, limit: maxPageSize }),
    service.listEndpoints(scope, { limit: maxPageSize }),
  ]);
  const events = listed.items.map((item) => JSON.parse(item) as Event).toReversed();
  return await Promise.all(
    events.map(async (event) => ({
      event,
      deliveries: (await service.listEventDeliveries(scope, event.id)).map((each) => ({
        delivery: each.delivery,
        endpoint: endpoints.items.find((endpoint) => endpoint.id === each.endpointId),
      })),
    })),
  );
}
