import type { Operator } from "../../../../contract/operator.ts";
import { renderKeyField } from "../idempotent-forms.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { renderConfirmation } from "./asking-view.ts";
import { renderFacts, renderNotice, renderTime, wholeIdHtml } from "./elements.ts";
import type { View } from "./frame.ts";
import { describeOperatorState, renderRoleField, renderTeamLink } from "./team-view.ts";

/** Somebody of the team, and what can be changed; `key` is that of the form for a fresh link. */
export function renderOperator(
  visit: Visit,
  operator: Operator,
  { key, role = operator.role, mistake }: { key: string; role?: string; mistake?: string },
): View {
  const place = addressOf(visit, operator);
  return {
    title: operator.name,
    place: "team",
    content: html`<div class="sheet">
        ${renderFacts(factsOf(operator))}
        <p><a class="secondary" href="${place}/remove">Remove from this account…</a></p>
      </div>
      ${
        isWithin(visit, operator)
          ? html`${roleForm(place, role, mistake)} ${linkForm(place, operator, key)}`
          : renderNotice(
              "waiting",
              "Works in another account, too, which is not one of yours: only an admin of all of them can change the role or make a link.",
            )
      }
      <p><a href="${renderTeamLink(visit).address}">Whole team</a></p>`,
  };
}

export function renderRemoveOperator(visit: Visit, operator: Operator, problem?: string): View {
  const isSelf = operator.id === visit.session.operator.id;
  return renderConfirmation({
    title: isSelf ? "Remove yourself?" : `Remove ${operator.name}?`,
    place: "team",
    problem,
    facts: factsOf(operator),
    says: isSelf
      ? "You are out of this account at once, and need another admin to come back."
      : "They are out of this account at once, wherever they are signed in. They can be invited again.",
    action: `${addressOf(visit, operator)}/remove`,
    button: isSelf ? "Remove myself" : "Remove",
    isDangerous: true,
    back: { address: addressOf(visit, operator), text: "Back" },
  });
}

/** Whether an operator works in no account that is not also the visitor's: a role and a link reach into each. */
function isWithin({ session }: Visit, { accounts }: Operator): boolean {
  return accounts.every((id) => session.accounts.some((own) => own.id === id));
}

function addressOf(visit: Visit, { id }: Operator): string {
  return visit.addressOf(`/team/${id}`);
}

function factsOf(operator: Operator): [string, Html | string | null][] {
  return [
    ["Role", operator.role],
    ["State", describeOperatorState(operator)],
    ["Last seen", renderTime(operator.last_seen_at) ?? "never"],
    ["Invited", renderTime(operator.created)],
    ["Id", wholeIdHtml(operator.id)],
  ];
}

function roleForm(place: string, role: string, mistake: string | undefined): Html {
  return html`<section class="sheet" aria-label="Role">
    <form method="post" action="${place}/role" class="steps">
      ${renderRoleField(role, mistake)}
      <button class="secondary">Change role</button>
    </form>
  </section>`;
}

function linkForm(place: string, { status }: Operator, key: string): Html {
  return html`<section class="sheet" aria-labelledby="fresh">
    <h2 id="fresh">Fresh link</h2>
    <p class="prose">
      ${
        status === "invited"
          ? "For who has let the first one pass, which ends with this."
          : "For who has lost the session, or signs in in another browser."
      }
    </p>
    <form method="post" action="${place}/link">
      ${renderKeyField(key)}
      <button class="secondary">Make a fresh link</button>
    </form>
  </section>`;
}
