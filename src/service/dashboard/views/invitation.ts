import type { Account } from "../../../contract/account.ts";
import type { Operator } from "../../../contract/operator.ts";
import { html } from "../html.ts";
import { fields } from "./elements.ts";
import type { View } from "./frame.ts";
import { roleMeanings } from "./role-meanings.ts";

/** The page of an invitation, which says for whom it is; its button signs in. */
export function invitationView(
  { operator, accounts }: { operator: Operator; accounts: Account[] },
  action: string,
): View {
  return {
    title: "Your invitation",
    content: html`<div class="sheet">
        ${fields([
          ["For", html`<bdi>${operator.name}</bdi>`],
          ["Role", roleMeanings[operator.role]],
          [
            accounts.length === 1 ? "Account" : "Accounts",
            html`${accounts.map(({ name }) => html`<div><bdi>${name}</bdi></div>`)}`,
          ],
        ])}
      </div>
      <p>This link works once. If you are not ${operator.name}, do not use it.</p>
      <form method="post" action="${action}">
        <button class="primary">Sign in as ${operator.name}</button>
      </form>`,
  };
}

/** The page of a link that signs nobody in. */
export function endedInvitationView(): View {
  return {
    title: "This link does not work",
    content: html`<p>It was used, or has expired (it works for 15 minutes), or is mistyped.</p>
      <p>
        Ask an admin of your account for a fresh one, on the page Team, or whoever runs the service:
        <code>payments operators invite --id op_…</code>
      </p>`,
  };
}
