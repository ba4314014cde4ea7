import type { FastifyInstance } from "fastify";
import { accountNameMistake } from "../../../../contract/names.ts";
import { formOf } from "../../../http/form-body.ts";
import type { Service } from "../../../use-cases/service.ts";
import { underAccount } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { settingsView } from "../views/settings-view.ts";

const path = `${underAccount}/settings`;

/** What can be set of an account: its name. */
export function settingsRoutes(app: FastifyInstance, service: Service): void {
  app.get(path, async ({ visit }, reply) => sendView(reply, settingsView(visit)));

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const typed = formOf(request, ["name"]).name;
    const name = typed.trim();
    const mistake = accountNameMistake(name);
    if (mistake !== undefined) {
      const form = { name: typed, mistake: `The name ${mistake}.` };
      return sendView(reply, settingsView(visit, form), 422);
    }
    const { id, name: before } = visit.account;
    if (name !== before) await service.renameAccount(id, name, visit.actor);
    return reply.redirect(visit.addressOf("/settings"), 303);
  });
}
