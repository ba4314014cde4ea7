import { roles, type Operator, type Role } from "../../../../contract/operator.ts";
import { renderKeyField } from "../idempotent-forms.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import {
  renderBadge,
  renderField,
  renderSelect,
  renderTable,
  renderTime,
  type Column,
} from "./elements.ts";
import type { View } from "./frame.ts";
import { renderShownOnce } from "./shown-once-view.ts";
import { linkLifetime } from "./sign-in-view.ts";

/** What each role may do, as people choose and read it. */
export const roleMeanings: Record<Role, string> = {
  viewer: "viewer: looks at payments",
  support: "support: looks at payments, and refunds them",
  admin: "admin: refunds, and manages keys, webhooks and the team",
};

export type InviteForm = {
  key: string;
  name: string;
  role: string;
  mistakes?: { name?: string; role?: string };
};

/** Who works in an account, and the form that invites somebody else. */
export function renderTeam(visit: Visit, operators: readonly Operator[], form: InviteForm): View {
  return {
    title: "Team",
    place: "team",
    content: html`${renderTable("Operators", columnsFor(visit), operators)}
      <section class="sheet" aria-labelledby="invite">
        <h2 id="invite">Invite</h2>
        <form method="post" action="${visit.addressOf("/team")}" class="steps">
          ${renderKeyField(form.key)}
          ${renderField({
            name: "name",
            label: "Name",
            mistake: form.mistakes?.name,
            input: html`required maxlength="200" autocomplete="off" value="${form.name}"`,
          })}
          ${renderRoleField(form.role, form.mistakes?.role)}
          <button class="primary">Make a link</button>
        </form>
      </section>
      <section class="sheet" aria-labelledby="session">
        <h2 id="session">Your session</h2>
        <p class="prose">
          It ends after 12 hours without use, and after 7 days at the most. Signing out everywhere
          ends it in every browser, this one too.
        </p>
        <form method="post" action="${visit.ownAddressOf("/sign-out-everywhere")}">
          <button class="secondary">Sign out everywhere</button>
        </form>
      </section>`,
  };
}

/** The link of an operator that signs in, this once. */
export function renderInvitationLink(visit: Visit, { name, role }: Operator, link: string): View {
  return renderShownOnce({
    title: "Invitation",
    place: "team",
    label: "The link",
    secret: link,
    says: html`Give it to <bdi>${name}</bdi> now, by a way that only they can read: whoever opens it
      first is signed in. It works once, for ${linkLifetime}, and is not shown again.`,
    facts: [["Role", roleMeanings[role]]],
    back: renderTeamLink(visit),
  });
}

export function renderTeamLink(visit: Visit): { address: string; text: string } {
  return { address: visit.addressOf("/team"), text: "Team" };
}

export function renderRoleField(chosen: string, mistake?: string): Html {
  return renderSelect({
    name: "role",
    label: "Role",
    mistake,
    options: roles.map((role) => [role, roleMeanings[role]] as const),
    chosen,
  });
}

export function describeOperatorState({ status }: Operator): Html {
  return status === "active" ? renderBadge("active", "good") : renderBadge(status, "waiting");
}

function columnsFor(visit: Visit): Column<Operator>[] {
  const ownId = visit.session.operator.id;
  return [
    {
      title: "Name",
      cell: ({ id, name }) =>
        html`<span class="row"
          ><a href="${visit.addressOf(`/team/${id}`)}"><bdi class="text">${name}</bdi></a>
          ${id === ownId && html`<span class="quiet-text">you</span>`}</span
        >`,
    },
    { title: "Role", cell: ({ role }) => role },
    { title: "State", cell: describeOperatorState },
    { title: "Last seen", cell: ({ last_seen_at: seenAt }) => renderTime(seenAt) ?? "never" },
    { title: "Invited", cell: ({ created }) => renderTime(created) },
  ];
}
