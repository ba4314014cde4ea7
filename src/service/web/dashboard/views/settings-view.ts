import { defaultAccountName, maxAccountNameLength } from "../../../../contract/account.ts";
import { html } from "../html.ts";
import type { Visit } from "../visit.ts";
import { renderField, renderFacts, renderTime, wholeIdHtml } from "./elements.ts";
import type { View } from "./frame.ts";

/** What is set of an account; `form` is what was typed, and what is wrong with it. */
export function renderSettings(
  visit: Visit,
  form: { name: string; mistake?: string } = { name: visit.account.name },
): View {
  const { id, created } = visit.account;
  return {
    title: "Settings",
    place: "settings",
    content: html`<section class="sheet" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <form method="post" action="${visit.addressOf("/settings")}" class="steps">
        ${renderField({
          name: "name",
          label: "Name",
          hint: `Customers read it on the payment page, as who is paid. The name ${defaultAccountName} is not shown.`,
          mistake: form.mistake,
          input: html`required maxlength="${maxAccountNameLength}" autocomplete="off"
          value="${form.name}"`,
        })}
        <button class="primary">Save name</button>
      </form>
      ${renderFacts([
        ["Id", wholeIdHtml(id)],
        ["Created", renderTime(created)],
      ])}
    </section>`,
  };
}
