import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { PermanentError, type RefusalCode } from "../../../../runtime/failures.ts";
import { findNameMistake } from "../../../../contract/account.ts";
import { roles, type Operator } from "../../../../contract/operator.ts";
import { getForm } from "../../../http/form-body.ts";
import type { Invitation } from "../../../accounts/manage-operators.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Service } from "../../../use-cases/service.ts";
import { isFirstSubmission, createFormKey } from "../idempotent-forms.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { renderRefused } from "../views/failure-view.ts";
import { renderOperator, renderRemoveOperator } from "../views/operator-view.ts";
import { renderSentBefore } from "../views/shown-once-view.ts";
import {
  renderInvitationLink,
  renderTeam,
  renderTeamLink,
  type InviteForm,
} from "../views/team-view.ts";
import type { Visit } from "../visit.ts";

const path = `${accountPath}/team`;
type WithId = FastifyRequest<{ Params: { id: string } }>;

const sentBefore = (visit: Visit) =>
  renderSentBefore({ place: "team", back: renderTeamLink(visit) });

/** Who works in an account: they are invited, given another role or a fresh link, and removed. */
export function registerTeamRoutes(
  app: FastifyInstance,
  service: Service,
  { publicUrl }: { publicUrl: () => string },
): void {
  const list = async (visit: Visit, form: InviteForm) =>
    renderTeam(visit, await service.listOperators(visit.account.id), form);

  app.get(path, async ({ visit }, reply) =>
    sendView(reply, await list(visit, { key: createFormKey(), name: "", role: "viewer" })),
  );

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const form = getForm(request, ["key", "name", "role"]);
    const role = roles.find((each) => each === form.role);
    const mistake = findNameMistake(form.name);
    if (!role || mistake !== undefined) {
      const mistakes = {
        ...(mistake !== undefined && { name: `The name ${mistake}.` }),
        ...(!role && { role: roleMistake }),
      };
      return sendView(reply, await list(visit, { ...form, mistakes }), 422);
    }
    if (!(await isFirstSubmission(service, request, form.key))) {
      return sendView(reply, sentBefore(visit), 409);
    }
    const asked = { name: form.name, role, accounts: [visit.account.id] };
    return sendLink(reply, await unlessRefused(service.inviteOperator(asked, visit.actor)));
  });

  app.get(`${path}/:id`, async ({ visit, params }: WithId, reply) => {
    const operator = await find(service, visit, params.id);
    return sendView(reply, renderOperator(visit, operator, { key: createFormKey() }));
  });

  app.post(`${path}/:id/link`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key } = getForm(request, ["key"]);
    const { id } = await find(service, visit, params.id);
    if (!(await isFirstSubmission(service, request, key)))
      return sendView(reply, sentBefore(visit), 409);
    return sendLink(reply, await unlessRefused(service.reinviteOperator({ id }, visit.actor)));
  });

  app.post(`${path}/:id/role`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const form = getForm(request, ["role"]);
    const operator = await find(service, visit, params.id);
    const again = (mistake: string) =>
      renderOperator(visit, operator, { key: createFormKey(), role: form.role, mistake });
    const role = roles.find((each) => each === form.role);
    if (!role) return sendView(reply, again(roleMistake), 422);
    const changed = await unlessRefused(service.changeRole({ id: operator.id, role }, visit.actor));
    if (changed instanceof PermanentError) {
      return sendView(reply, again(inWords(changed)), statusOfRefusal[changed.code]);
    }
    return reply.redirect(afterChange(visit, operator), 303);
  });

  app.get(`${path}/:id/remove`, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderRemoveOperator(visit, await find(service, visit, params.id))),
  );

  app.post(`${path}/:id/remove`, async (request: WithId, reply) => {
    const { visit, params } = request;
    getForm(request, []);
    const operator = await find(service, visit, params.id);
    const { actor, account } = visit;
    const removed = await unlessRefused(service.removeOperator(operator.id, actor, account.id));
    if (removed instanceof PermanentError) {
      const view = renderRemoveOperator(visit, operator, inWords(removed));
      return sendView(reply, view, statusOfRefusal[removed.code]);
    }
    return reply.redirect(afterChange(visit, operator), 303);
  });

  function sendLink(reply: FastifyReply, invited: Invitation | PermanentError): FastifyReply {
    const { visit } = reply.request;
    if (invited instanceof PermanentError) {
      return sendView(reply, renderRefused(inWords(invited)), statusOfRefusal[invited.code]);
    }
    const link = `${publicUrl()}/dashboard/invitations/${invited.token}`;
    return sendView(reply, renderInvitationLink(visit, invited.operator, link), 201);
  }
}

const roleMistake = `Choose ${roles.join(", ")}.`;

const statusOfRefusal: Record<RefusalCode, number> = {
  operator_missing: 404,
  account_missing: 404,
  not_allowed: 403,
  last_admin: 422,
};

function inWords({ message, hint }: PermanentError): string {
  return [message, hint].join(" ").trim();
}

async function unlessRefused<T>(work: Promise<T>): Promise<T | PermanentError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PermanentError) return error;
    throw error;
  }
}

/** Who has changed what they may do themselves may not see the team any more. */
function afterChange(visit: Visit, { id }: Operator): string {
  return id === visit.session.operator.id ? visit.ownAddressOf("") : renderTeamLink(visit).address;
}

/** Somebody who works in the account. Errors: resource_missing. */
async function find(service: Service, { account }: Visit, id: string): Promise<Operator> {
  const operators = await service.listOperators(account.id);
  const operator = operators.find((each) => each.id === id);
  if (!operator) throw new ServiceError("resource_missing", "There is no such operator here.");
  return operator;
}
