import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal, type RefusalCode } from "../../../../runtime/failures.ts";
import { nameMistake } from "../../../../contract/names.ts";
import { roles, type Operator } from "../../../../contract/operator.ts";
import { formOf } from "../../../http/form-body.ts";
import type { Invitation } from "../../../accounts/manage-operators.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Service } from "../../../use-cases/service.ts";
import { isFirstSent, newFormKey } from "../idempotent-forms.ts";
import { underAccount } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { refusedView } from "../views/failure-view.ts";
import { operatorView, removeView } from "../views/operator-view.ts";
import { sentBeforeView } from "../views/shown-once-view.ts";
import { linkView, teamView, wholeTeam, type InviteForm } from "../views/team-view.ts";
import type { Visit } from "../visit.ts";

const path = `${underAccount}/team`;
type WithId = FastifyRequest<{ Params: { id: string } }>;

const sentBefore = (visit: Visit) => sentBeforeView({ place: "team", back: wholeTeam(visit) });

/** Who works in an account: they are invited, given another role or a fresh link, and removed. */
export function teamRoutes(
  app: FastifyInstance,
  service: Service,
  { publicUrl }: { publicUrl: () => string },
): void {
  const list = async (visit: Visit, form: InviteForm) =>
    teamView(visit, await service.listOperators(visit.account.id), form);

  app.get(path, async ({ visit }, reply) =>
    sendView(reply, await list(visit, { key: newFormKey(), name: "", role: "viewer" })),
  );

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const form = formOf(request, ["key", "name", "role"]);
    const role = roles.find((each) => each === form.role);
    const mistake = nameMistake(form.name);
    if (!role || mistake !== undefined) {
      const mistakes = {
        ...(mistake !== undefined && { name: `The name ${mistake}.` }),
        ...(!role && { role: roleMistake }),
      };
      return sendView(reply, await list(visit, { ...form, mistakes }), 422);
    }
    if (!(await isFirstSent(service, request, form.key))) {
      return sendView(reply, sentBefore(visit), 409);
    }
    const asked = { name: form.name, role, accounts: [visit.account.id] };
    return sendLink(reply, await unlessRefused(service.inviteOperator(asked, visit.actor)));
  });

  app.get(`${path}/:id`, async ({ visit, params }: WithId, reply) => {
    const operator = await find(service, visit, params.id);
    return sendView(reply, operatorView(visit, operator, { key: newFormKey() }));
  });

  app.post(`${path}/:id/link`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key } = formOf(request, ["key"]);
    const { id } = await find(service, visit, params.id);
    if (!(await isFirstSent(service, request, key))) return sendView(reply, sentBefore(visit), 409);
    return sendLink(reply, await unlessRefused(service.reinviteOperator({ id }, visit.actor)));
  });

  app.post(`${path}/:id/role`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const form = formOf(request, ["role"]);
    const operator = await find(service, visit, params.id);
    const again = (mistake: string) =>
      operatorView(visit, operator, { key: newFormKey(), role: form.role, mistake });
    const role = roles.find((each) => each === form.role);
    if (!role) return sendView(reply, again(roleMistake), 422);
    const changed = await unlessRefused(service.changeRole({ id: operator.id, role }, visit.actor));
    if (changed instanceof Refusal) {
      return sendView(reply, again(inWords(changed)), statusOfRefusal[changed.code]);
    }
    return reply.redirect(afterChange(visit, operator), 303);
  });

  app.get(`${path}/:id/remove`, async ({ visit, params }: WithId, reply) =>
    sendView(reply, removeView(visit, await find(service, visit, params.id))),
  );

  app.post(`${path}/:id/remove`, async (request: WithId, reply) => {
    const { visit, params } = request;
    formOf(request, []);
    const operator = await find(service, visit, params.id);
    const { actor, account } = visit;
    const removed = await unlessRefused(service.removeOperator(operator.id, actor, account.id));
    if (removed instanceof Refusal) {
      const view = removeView(visit, operator, inWords(removed));
      return sendView(reply, view, statusOfRefusal[removed.code]);
    }
    return reply.redirect(afterChange(visit, operator), 303);
  });

  function sendLink(reply: FastifyReply, invited: Invitation | Refusal): FastifyReply {
    const { visit } = reply.request;
    if (invited instanceof Refusal) {
      return sendView(reply, refusedView(inWords(invited)), statusOfRefusal[invited.code]);
    }
    const link = `${publicUrl()}/dashboard/invitations/${invited.token}`;
    return sendView(reply, linkView(visit, invited.operator, link), 201);
  }
}

const roleMistake = `Choose ${roles.join(", ")}.`;

const statusOfRefusal: Record<RefusalCode, number> = {
  operator_missing: 404,
  account_missing: 404,
  not_allowed: 403,
  last_admin: 422,
};

function inWords({ message, hint }: Refusal): string {
  return [message, hint].join(" ").trim();
}

async function unlessRefused<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Who has changed what they may do themselves may not see the team any more. */
function afterChange(visit: Visit, { id }: Operator): string {
  return id === visit.session.operator.id ? visit.ownAddressOf("") : wholeTeam(visit).address;
}

/** Somebody who works in the account. Errors: resource_missing. */
async function find(service: Service, { account }: Visit, id: string): Promise<Operator> {
  const operators = await service.listOperators(account.id);
  const operator = operators.find((each) => each.id === id);
  if (!operator) throw new ServiceError("resource_missing", "There is no such operator here.");
  return operator;
}
