import type { FastifyInstance } from "fastify";
import { idOf } from "../../../../contract/field-schemas.ts";
import { listQuery } from "../../../../contract/list-object.ts";
import { modes } from "../../../../contract/key.ts";
import { validate } from "../../../http/validate.ts";
import type { Service } from "../../../use-cases/service.ts";
import { readCursors, findPageLinks, readQuery } from "../list-page.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { renderActivity } from "../views/activity-view.ts";
import type { Visit } from "../visit.ts";

const pageSize = 50;
const activityQuery = listQuery(idOf(/^act_[a-zA-Z0-9-]+$/, "an activity"), {});

/** Who did what in an account, in both modes and beside them, newest first. */
export function registerActivityRoutes(app: FastifyInstance, service: Service): void {
  app.get(`${accountPath}/activity`, async ({ visit, url }, reply) => {
    const params = readQuery(url);
    const page = { ...validate(activityQuery, readCursors(params)), limit: pageSize };
    const [{ items, hasMore }, there] = await Promise.all([
      service.listActivity(visit.account.id, page),
      stillThere(service, visit),
    ]);
    const listed = { activities: items, ...findPageLinks(params, hasMore) };
    return sendView(reply, renderActivity(visit, listed, there));
  });
}

/** The ids of the endpoints and operators that there are: what else is told of has its page for good. */
async function stillThere(service: Service, { account }: Visit): Promise<Set<string>> {
  const [operators, ...endpoints] = await Promise.all([
    service.listOperators(account.id),
    ...modes.map(async (mode) =>
      service.watchEndpoints({ accountId: account.id, livemode: mode === "live" }),
    ),
  ]);
  return new Set([
    ...operators.map(({ id }) => id),
    ...endpoints.flat().map(({ endpoint }) => endpoint.id),
  ]);
}
