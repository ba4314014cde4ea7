import type { FastifyInstance } from "fastify";
import { currencies } from "../../../../contract/payment-values.ts";
import type { Service } from "../../../use-cases/service.ts";
import { readQuery } from "../list-page.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { renderOverview } from "../views/overview-view.ts";

/** The first page of an account and mode; the address says its currency, where that is to be another one. */
export function registerOverviewRoutes(app: FastifyInstance, service: Service): void {
  app.get(accountPath, { config: { needs: "look" } }, async ({ visit, url }, reply) => {
    const asked = readQuery(url).get("currency");
    const currency = currencies.find((each) => each === asked);
    return sendView(reply, renderOverview(visit, await service.getOverview(visit.scope, currency)));
  });
}
