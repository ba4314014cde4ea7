import type { FastifyInstance, FastifyReply } from "fastify";
import { findNameMistake } from "../../../contract/account.ts";
import { roles, type Operator, type Role } from "../../../contract/operator.ts";
import { PermanentError, type RefusalCode } from "../../../runtime/failures.ts";
import type { Invitation } from "../../accounts/manage-operators.ts";
import { getForm } from "../../input/forms.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import { renderSecret, createFormKey, renderKeyField, submitOnce } from "./forms.ts";
import { renderField, renderSelect, withoutSecrets } from "./labeled-fields.ts";
import { renderBadge, renderText, type Link } from "./elements.ts";
import { renderTable, createTimeColumn, type Column } from "./table-elements.ts";
import { addDoneNotice } from "./done-notice.ts";
import { renderMessage, sendView, type View } from "./frame.ts";
import { toWords } from "./value-words.ts";
import { accountPath, type Visit } from "./visit.ts";
import { linkLifetime } from "./sign-in-page.ts";

const path = `${accountPath}/team`;

/** The operators of an account, and the form that invites another one. */
export function registerTeamPage(
  app: FastifyInstance,
  service: Service,
  publicUrl: () => string,
): void {
  const view = async (visit: Visit, form: InviteForm) =>
    renderTeam(visit, await service.listOperators(visit.account.id), form);

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
      async () => service.inviteOperator(content, visit.actor),
    );
  });
}

/** The role of a form, if it is one. */
export function parseRole(text: string): Role | undefined {
  return roles.find((role) => role === text);
}

export const roleMistake = `Choose ${roles.map(toWords).join(", ")}.`;

/** The reason why a change of the team was refused, in words, with the status of its response. */
export type Refusal = { problem: string; status: number };

const statusOfRefusal: Record<RefusalCode, number> = {
  operator_missing: 404,
  account_missing: 404,
  not_allowed: 403,
  last_admin: 422,
};

/** The result of a change of the team, or its refusal. */
export async function catchRefusal<T extends object>(change: Promise<T>): Promise<T | Refusal> {
  try {
    return await change;
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error;
    const { message, hint, code } = error;
    return { problem: [message, hint].join(" ").trim(), status: statusOfRefusal[code] };
  }
}

/** Runs a form that invites an operator, and shows the link that signs in, once. */
export async function submitInvitation(
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

/** The roles, as operators read them. */
export const roleMeanings: Record<Role, string> = {
  viewer: "Viewer: can read payments",
  support: "Support: can also see requests, refund and cancel payments",
  admin: "Admin: can also manage keys, webhooks and the team",
};

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

export function linkToTeam(visit: Visit): Link {
  return { address: visit.addressOf("/team"), text: "Team" };
}

export function renderRoleField(selected: string, mistake?: string): Html {
  const options = roles.map((role) => [role, toWords(role)] as const);
  const hint =
    "A viewer can read payments, support can also see requests, refund and cancel payments, and an admin can also manage keys, webhooks and the team.";
  return renderSelect({ name: "role", label: "Role", hint, mistake, options, selected });
}

export function renderOperatorStatus({ status }: Operator): Html {
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
