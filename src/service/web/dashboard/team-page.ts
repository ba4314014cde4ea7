import type { FastifyInstance, FastifyReply } from "fastify";
import {
  findNameMistake,
  roles,
  type Operator,
  type Role,
} from "../../../contract/administration.ts";
import { ServiceError } from "../../../contract/error.ts";
import { PermanentError, type RefusalCode } from "../../../runtime/failures.ts";
import {
  changeRole,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperator,
  type Invitation,
} from "../../accounts/manage-operators.ts";
import { getForm } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { html, type Html } from "../design/html.ts";
import {
  renderBadge,
  renderCopyableId,
  renderFacts,
  renderField,
  renderNotice,
  renderSelect,
  renderText,
  renderTime,
  withoutSecrets,
  type Facts,
  type Link,
} from "./elements.ts";
import {
  addDoneNotice,
  createFormKey,
  registerConfirmation,
  renderKeyField,
  renderSecret,
  submitOnce,
  toAddressAfter,
  type Confirmation,
} from "./forms.ts";
import { renderMessage, sendView, type View } from "./frame.ts";
import { createTimeColumn, renderTable, type Column } from "./list-elements.ts";
import { linkLifetime } from "./sign-in-page.ts";
import { roleMeanings, toWords } from "./value-words.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

const path = `${accountPath}/team`;

/** The operators of an account, and the form that invites another one. */
export function registerTeamPage(
  app: FastifyInstance,
  service: Service,
  publicUrl: () => string,
): void {
  const view = async (visit: Visit, form: InviteForm) =>
    renderTeam(visit, await listOperators(service, visit.account.id), form);

  app.get(path, async (request, reply) => {
    const shown = await view(request.visit, { key: createFormKey(), name: "", role: "viewer" });
    return sendView(reply, await addDoneNotice(service, request, shown));
  });

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const form = getForm(request, ["key", "name", "role"]);
    const role = parseRole(form.role);
    const mistake = findNameMistake(form.name);
    if (!role || mistake !== undefined) {
      const mistakes = {
        ...(mistake !== undefined && { name: `The name ${mistake}.` }),
        ...(!role && { role: roleMistake }),
      };
      return sendView(reply, await view(visit, { ...form, mistakes }), 422);
    }
    const content = { name: form.name, role, accounts: [visit.account.id] };
    return await submitInvitation(
      service,
      reply,
      { key: form.key, publicUrl: publicUrl() },
      async () => inviteOperator(service, content, visit.actor),
    );
  });
}

/** The role of a form, if it is one. */
function parseRole(text: string): Role | undefined {
  return roles.find((role) => role === text);
}

const roleMistake = `Choose ${roles.map(toWords).join(", ")}.`;

/** The reason why a change of the team was refused, in words, with the status of its response. */
type Refusal = { problem: string; status: number };

const statusOfRefusal: Record<RefusalCode, number> = {
  operator_missing: 404,
  account_missing: 404,
  not_allowed: 403,
  last_admin: 422,
};

/** The result of a change of the team, or its refusal. */
async function catchRefusal<T extends object>(change: Promise<T>): Promise<T | Refusal> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error;
    const { message, hint, code } = error;
    return { problem: [message, hint].join(" ").trim(), status: statusOfRefusal[code] };
  }
}

/** Runs a form that invites an operator, and shows the link that signs in, once. */
async function submitInvitation(
  service: Service,
  reply: FastifyReply,
  { key, publicUrl }: { key: string; publicUrl: string },
  invite: () => Promise<Invitation>,
): Promise<FastifyReply> {
  const section = "team";
  const back = linkToTeam(reply.request.visit);
  return await submitOnce(service, reply, { key, section, back }, async () => {
    const invited = await catchRefusal(invite());
    if ("problem" in invited) {
      return sendView(reply, renderMessage("Not accepted", invited.problem), invited.status);
    }
    const { operator, token } = invited;
    const view = renderSecret({
      title: "Invitation",
      section,
      label: "Sign-in link",
      secret: `${publicUrl}/dashboard/invitations/${token}`,
      text: html`Send this link to <bdi>${operator.name}</bdi> alone: it signs in the first person
        who opens it. It works once, for ${linkLifetime}, and is not shown again.`,
      facts: [["Role", roleMeanings[operator.role]]],
      back,
    });
    return sendView(reply, view, 201);
  });
}

type InviteForm = {
  key: string;
  name: string;
  role: string;
  mistakes?: { name?: string; role?: string };
};

export function renderTeam(visit: Visit, operators: readonly Operator[], form: InviteForm): View {
  return {
    title: "Team",
    section: "team",
    content: html`${renderTable("Operators", buildColumns(visit), operators)}
      <section class="sheet" aria-labelledby="invite">
        <h2 id="invite">Invite an operator</h2>
        <form method="post" action="${visit.addressOf("/team")}" class="steps">
          ${renderKeyField(form.key)}
          ${renderField({
            name: "name",
            label: "Name",
            mistake: form.mistakes?.name,
            input: html`required maxlength="200" autocomplete="off"
            value="${withoutSecrets(form.name)}"`,
          })}
          ${renderRoleField(form.role, form.mistakes?.role)}
          <button class="primary">Invite</button>
        </form>
      </section>
      <section class="sheet" aria-labelledby="session">
        <h2 id="session">Your session</h2>
        <p class="prose">
          A session ends after 12 hours without use, and after 7 days at most. “Sign out everywhere”
          ends yours in every browser, including this one.
        </p>
        <form method="post" action="${visit.ownAddressOf("/sign-out-everywhere")}">
          <button class="secondary">Sign out everywhere</button>
        </form>
      </section>`,
  };
}

function linkToTeam(visit: Visit): Link {
  return { address: visit.addressOf("/team"), text: "Team" };
}

function renderRoleField(selected: string, mistake?: string): Html {
  const options = roles.map((role) => [role, toWords(role)] as const);
  const hint =
    "A viewer can read payments, support can also see requests, refund and cancel payments, and an admin can also manage keys, webhooks and the team.";
  return renderSelect({ name: "role", label: "Role", hint, mistake, options, selected });
}

function renderOperatorStatus({ status }: Operator): Html {
  return renderBadge(toWords(status), status === "active" ? "good" : "waiting");
}

function buildColumns(visit: Visit): Column<Operator>[] {
  const ownId = visit.session.operator.id;
  return [
    {
      title: "Name",
      isText: true,
      cell: ({ id, name }) =>
        html`<span class="row"
          ><a href="${visit.addressOf(`/team/${id}`)}">${renderText(name)}</a>
          ${id === ownId && html`<span class="own">(you)</span>`}</span
        >`,
      beneath: createTimeColumn("Invited", ({ created }) => created),
    },
    { title: "Role", cell: ({ role }) => toWords(role) },
    { title: "Status", cell: renderOperatorStatus },
    createTimeColumn("Last seen", ({ last_seen_at: seenAt }) => seenAt, { none: "never" }),
  ];
}

const operatorPath = `${path}/:id`;

/** One operator: the role, another invitation, and the removal from the account. */
export function registerOperatorPage(
  app: FastifyInstance,
  service: Service,
  publicUrl: () => string,
): void {
  /** Errors: resource_missing. */
  async function find({ account }: Visit, id: string): Promise<Operator> {
    const operators = await listOperators(service, account.id);
    const operator = operators.find((each) => each.id === id);
    if (!operator) throw new ServiceError("resource_missing", "There is no such operator here.");
    return operator;
  }

  app.get(operatorPath, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderOperator(visit, await find(visit, params.id))),
  );

  app.post(`${operatorPath}/link`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key } = getForm(request, ["key"]);
    const { id } = await find(visit, params.id);
    return await submitInvitation(service, reply, { key, publicUrl: publicUrl() }, async () =>
      reinviteOperator(service, { id }, visit.actor),
    );
  });

  app.post(`${operatorPath}/role`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const form = getForm(request, ["role"]);
    const operator = await find(visit, params.id);
    const role = parseRole(form.role);
    const changed = role
      ? await catchRefusal(changeRole(service, { id: operator.id, role }, visit.actor))
      : { problem: roleMistake, status: 422 };
    if ("problem" in changed) {
      const view = renderOperator(visit, operator, { ...form, mistake: changed.problem });
      return sendView(reply, view, changed.status);
    }
    return reply.redirect(addressAfterChange(visit, operator, "operator.role_changed"), 303);
  });

  registerConfirmation(app, `${operatorPath}/remove`, {
    find,
    view: describeRemoval,
    run: async (visit, operator) => {
      const { actor, account } = visit;
      const removed = await catchRefusal(removeOperator(service, operator.id, actor, account.id));
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
