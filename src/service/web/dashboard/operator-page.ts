import type { FastifyInstance } from "fastify";
import type { Operator } from "../../../contract/operator.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { getForm } from "../../input/forms.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import { registerConfirmation, type Confirmation, createFormKey, renderKeyField } from "./forms.ts";
import { renderCopyableId, renderFacts, renderNotice, renderTime, type Facts } from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { toAddressAfter } from "./done-notice.ts";
import { toWords } from "./value-words.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";
import {
  catchRefusal,
  linkToTeam,
  parseRole,
  renderOperatorStatus,
  renderRoleField,
  roleMistake,
  submitInvitation,
} from "./team-page.ts";

const path = `${accountPath}/team/:id`;

/** One operator: the role, another invitation, and the removal from the account. */
export function registerOperatorPage(
  app: FastifyInstance,
  service: Service,
  publicUrl: () => string,
): void {
  /** Errors: resource_missing. */
  async function find({ account }: Visit, id: string): Promise<Operator> {
    const operators = await service.listOperators(account.id);
    const operator = operators.find((each) => each.id === id);
    if (!operator) throw new ServiceError("resource_missing", "There is no such operator here.");
    return operator;
  }

  app.get(path, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderOperator(visit, await find(visit, params.id))),
  );

  app.post(`${path}/link`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key } = getForm(request, ["key"]);
    const { id } = await find(visit, params.id);
    return await submitInvitation(service, reply, { key, publicUrl: publicUrl() }, async () =>
      service.reinviteOperator({ id }, visit.actor),
    );
  });

  app.post(`${path}/role`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const form = getForm(request, ["role"]);
    const operator = await find(visit, params.id);
    const role = parseRole(form.role);
    const changed = role
      ? await catchRefusal(service.changeRole({ id: operator.id, role }, visit.actor))
      : { problem: roleMistake, status: 422 };
    if ("problem" in changed) {
      const view = renderOperator(visit, operator, { ...form, mistake: changed.problem });
      return sendView(reply, view, changed.status);
    }
    return reply.redirect(addressAfterChange(visit, operator, "operator.role_changed"), 303);
  });

  registerConfirmation(app, `${path}/remove`, {
    find,
    view: describeRemoval,
    run: async (visit, operator) => {
      const { actor, account } = visit;
      const removed = await catchRefusal(service.removeOperator(operator.id, actor, account.id));
      if ("problem" in removed) return removed;
      return addressAfterChange(visit, operator, "operator.removed");
    },
  });
}

/** An operator who has changed their own rights may not see the team any more. */
function addressAfterChange(
  visit: Visit,
  { id }: Operator,
  action: "operator.role_changed" | "operator.removed",
): string {
  return id === visit.session.operator.id
    ? visit.ownAddressOf("")
    : toAddressAfter(linkToTeam(visit).address, action, id);
}

export function renderOperator(
  visit: Visit,
  operator: Operator,
  { role, mistake }: { role: string; mistake?: string } = operator,
): View {
  const address = addressOf(visit, operator);
  // A role and a link reach into each account of an operator, so the visitor must be in all of them.
  const canChange = operator.accounts.every((id) =>
    visit.session.accounts.some((own) => own.id === id),
  );
  return {
    title: operator.name,
    heading: html`<bdi class="text" title="${operator.name}">${operator.name}</bdi>`,
    section: "team",
    back: linkToTeam(visit),
    isNarrow: true,
    content: html`<div class="sheet">
        ${renderFacts([["Name", isCutInHeading(operator) && renderName(operator)], ...listFacts(operator)])}
      </div>
      ${
        canChange
          ? html`<section class="sheet" aria-labelledby="change">
                <h2 id="change">Change role</h2>
                <form method="post" action="${address}/role" class="steps">
                  ${renderRoleField(role, mistake)}
                  <button class="secondary">Change role</button>
                </form>
              </section>
              ${renderLinkForm(address, operator)}`
          : renderNotice(
              "waiting",
              "This operator also works in an account that is not yours: only an admin of all of them can change the role or invite again.",
            )
      }
      <p>
        <a class="secondary destructive" href="${address}/remove">Remove from this account…</a>
      </p>`,
  };
}

export function describeRemoval(visit: Visit, operator: Operator): Confirmation {
  const isSelf = operator.id === visit.session.operator.id;
  return {
    title: isSelf ? "Remove yourself?" : "Remove this operator?",
    section: "team",
    facts: [["Name", renderName(operator)], ...listFacts(operator)],
    text: isSelf
      ? "You lose access to this account at once, and need another admin to invite you again."
      : "They lose access to this account at once, in every browser. They can be invited again.",
    action: `${addressOf(visit, operator)}/remove`,
    button: isSelf ? "Remove myself" : "Remove operator",
    isDangerous: true,
    back: { address: addressOf(visit, operator), text: "Operator" },
  };
}

function addressOf(visit: Visit, { id }: Operator): string {
  return visit.addressOf(`/team/${id}`);
}

/** A heading has two lines at most, which on a phone hold some forty letters. */
function isCutInHeading({ name }: Operator): boolean {
  return name.length > 40;
}

function renderName({ name }: Operator): Html {
  return html`<bdi>${name}</bdi>`;
}

function listFacts(operator: Operator): Facts {
  return [
    ["Role", toWords(operator.role)],
    ["Status", renderOperatorStatus(operator)],
    ["Last seen", renderTime(operator.last_seen_at) ?? "Never"],
    ["Invited", renderTime(operator.created)],
    ["ID", renderCopyableId(operator.id)],
  ];
}

function renderLinkForm(address: string, { status }: Operator): Html {
  return html`<section class="sheet" aria-labelledby="again">
    <h2 id="again">New sign-in link</h2>
    <p class="prose">
      ${
        status === "invited"
          ? "For when the first link has expired. It stops working."
          : "For an operator whose session has ended, or who uses another browser."
      }
    </p>
    <form method="post" action="${address}/link">
      ${renderKeyField(createFormKey())}
      <button class="secondary">Create link</button>
    </form>
  </section>`;
}
