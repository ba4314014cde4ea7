import type { FastifyInstance } from "fastify";
import { listPaymentsQuery } from "../../../../contract/list-object.ts";
import type { Payment } from "../../../../contract/payment.ts";
import { validate } from "../../../http/validate.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Scope } from "../../../ports/idempotency-record.ts";
import type { Service } from "../../../use-cases/service.ts";
import { cursorsIn, neighboursOf, queryIn } from "../list-page.ts";
import { paymentFilters } from "../payment-filters.ts";
import { underAccount } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { paymentsView } from "../views/payments-view.ts";

const pageSize = 25;

/** The list of payments, newest first; filters and the place in the list stand in the address. */
export function paymentsRoutes(app: FastifyInstance, service: Service): void {
  app.get(`${underAccount}/payments`, { config: { needs: "look" } }, async (request, reply) => {
    const { visit } = request;
    const params = queryIn(request.url);
    const id = params.get("id")?.trim() ?? "";
    if (id && (await isThere(service, visit.scope, id))) {
      return reply.redirect(visit.addressOf(`/payments/${id}`), 303);
    }
    const { filters, mistakes, query } = paymentFilters(params);
    const hasMistake = Object.keys(mistakes).length > 0;
    const listed = hasMistake
      ? { items: [], hasMore: false }
      : await service.listPayments(visit.scope, {
          ...query,
          ...validate(listPaymentsQuery, cursorsIn(params)),
          limit: pageSize,
        });
    const view = paymentsView(visit, {
      payments: listed.items.map((item) => JSON.parse(item) as Payment),
      ...neighboursOf(params, listed.hasMore),
      filters,
      soughtId: id,
      mistakes: { ...mistakes, ...(id && { id: notFound }) },
    });
    return sendView(reply, view, id ? 404 : hasMistake ? 400 : 200);
  });
}

const notFound = "There is no payment with this id in this account and mode.";

async function isThere(service: Service, scope: Scope, id: string): Promise<boolean> {
  try {
    await service.getPayment(scope, id);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "resource_missing") return false;
    throw error;
  }
}
