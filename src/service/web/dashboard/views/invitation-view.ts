import type { Account } from "../../../../contract/account.ts";
import type { Operator } from "../../../../contract/operator.ts";
import { html } from "../html.ts";
import { renderFacts } from "./elements.ts";
import type { View } from "./frame.ts";
import { roleMeanings } from "./team-view.ts";

/** The page of an invitation, which says for whom it is; its button signs in. */
export function renderInvitation(
  { operator, accounts }: { operator: Operator; accounts: Account[] },
  action: string,
): View {
  const whom = html`<bdi>${operator.name}</bdi>`;
  return {
    title: "Your invitation",
    content: html`<div class="sheet">
        ${renderFacts([
          ["For", whom],
          ["Role", roleMeanings[operator.role]],
          [
            accounts.length === 1 ? "Account" : "Accounts",
            html`${accounts.map(({ name }) => html`<div><bdi>${name}</bdi></div>`)}`,
          ],
        ])}
      </div>
      <p>This link works once. If you are not ${whom}, do not use it.</p>
      <form method="post" action="${action}">
        <button class="primary"><span>Sign in as ${whom}</span></button>
      </form>`,
  };
}
