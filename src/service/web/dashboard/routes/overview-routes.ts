import type { FastifyInstance } from "fastify";
import { currencies } from "../../../../contract/payment-values.ts";
import type { Service } from "../../../use-cases/service.ts";
import { queryIn } from "../list-page.ts";
import { underAccount } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { overviewView } from "../views/overview-view.ts";

/** The first page of an account and mode; the address says its currency, where that is to be another one. */
export function overviewRoutes(app: FastifyInstance, service: Service): void {
  app.get(underAccount, { config: { needs: "look" } }, async ({ visit, url }, reply) => {
    const asked = queryIn(url).get("currency");
    const currency = currencies.find((each) => each === asked);
    return sendView(reply, overviewView(visit, await service.overview(visit.scope, currency)));
  });
}
