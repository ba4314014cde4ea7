import type { FastifyInstance } from "fastify";
import { findAccountNameMistake } from "../../../../contract/account.ts";
import { getForm } from "../../../http/form-body.ts";
import type { Service } from "../../../use-cases/service.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { renderSettings } from "../views/settings-view.ts";

const path = `${accountPath}/settings`;

/** What can be set of an account: its name. */
export function registerSettingsRoutes(app: FastifyInstance, service: Service): void {
  app.get(path, async ({ visit }, reply) => sendView(reply, renderSettings(visit)));

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const typed = getForm(request, ["name"]).name;
    const name = typed.trim();
    const mistake = findAccountNameMistake(name);
    if (mistake !== undefined) {
      const form = { name: typed, mistake: `The name ${mistake}.` };
      return sendView(reply, renderSettings(visit, form), 422);
    }
    const { id, name: before } = visit.account;
    if (name !== before) await service.renameAccount(id, name, visit.actor);
    return reply.redirect(visit.addressOf("/settings"), 303);
  });
}
