import type { FastifyInstance } from "fastify";
import { listPaymentsQuery } from "../../../../contract/list-object.ts";
import type { Payment } from "../../../../contract/payment.ts";
import { validate } from "../../../http/validate.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Scope } from "../../../ports/idempotency-record.ts";
import type { Service } from "../../../use-cases/service.ts";
import { readCursors, findPageLinks, readQuery } from "../list-page.ts";
import { parsePaymentFilters } from "../payment-filters.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { renderPayments } from "../views/payments-view.ts";

const pageSize = 25;

/** The list of payments, newest first; filters and the place in the list stand in the address. */
export function registerPaymentsRoutes(app: FastifyInstance, service: Service): void {
  app.get(`${accountPath}/payments`, { config: { needs: "look" } }, async (request, reply) => {
    const { visit } = request;
    const params = readQuery(request.url);
    const id = params.get("id")?.trim() ?? "";
    if (id && (await isThere(service, visit.scope, id))) {
      return reply.redirect(visit.addressOf(`/payments/${id}`), 303);
    }
    const { filters, mistakes, query } = parsePaymentFilters(params);
    const hasMistake = Object.keys(mistakes).length > 0;
    const listed = hasMistake
      ? { items: [], hasMore: false }
      : await service.listPayments(visit.scope, {
          ...query,
          ...validate(listPaymentsQuery, readCursors(params)),
          limit: pageSize,
        });
    const view = renderPayments(visit, {
      payments: listed.items.map((item) => JSON.parse(item) as Payment),
      ...findPageLinks(params, listed.hasMore),
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
