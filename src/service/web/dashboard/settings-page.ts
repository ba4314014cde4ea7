import type { FastifyInstance } from "fastify";
import {
  defaultAccountName,
  findAccountNameMistake,
  maxAccountNameLength,
} from "../../../contract/administration.ts";
import { renameAccount } from "../../accounts/manage-accounts.ts";
import { getForm } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { html } from "../design/html.ts";
import {
  renderCopyableId,
  renderFacts,
  renderField,
  renderTime,
  withoutSecrets,
} from "./elements.ts";
import { addDoneNotice, toAddressAfter } from "./forms.ts";
import { sendView, type View } from "./frame.ts";
import { accountPath, type Visit } from "./visit.ts";

const path = `${accountPath}/settings`;

/** The settings of an account: its name. */
export function registerSettingsPage(app: FastifyInstance, service: Service): void {
  app.get(path, async (request, reply) =>
    sendView(reply, await addDoneNotice(service, request, renderSettings(request.visit))),
  );

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const form = getForm(request, ["name"]);
    const name = form.name.trim();
    const mistake = findAccountNameMistake(name);
    if (mistake !== undefined) {
      return sendView(
        reply,
        renderSettings(visit, { ...form, mistake: `The name ${mistake}.` }),
        422,
      );
    }
    const { id, name: before } = visit.account;
    if (name !== before) await renameAccount(service, id, name, visit.actor);
    return reply.redirect(toAddressAfter(visit.addressOf("/settings"), "account.renamed", id), 303);
  });
}

export function renderSettings(
  visit: Visit,
  form: { name: string; mistake?: string } = { name: visit.account.name },
): View {
  const { id, created } = visit.account;
  return {
    title: "Settings",
    section: "settings",
    isNarrow: true,
    content: html`<section class="sheet" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <form method="post" action="${visit.addressOf("/settings")}" class="steps">
        ${renderField({
          name: "name",
          label: "Name",
          hint:
            visit.account.name === defaultAccountName
              ? `Shown to customers on the payment page. “${defaultAccountName}” is not shown: enter the name of your business.`
              : "Shown to customers on the payment page.",
          mistake: form.mistake,
          input: html`required maxlength="${maxAccountNameLength}" autocomplete="off"
          value="${withoutSecrets(form.name)}"`,
        })}
        <button class="primary">Save name</button>
      </form>
      ${renderFacts([
        ["Account ID", renderCopyableId(id)],
        ["Created", renderTime(created)],
      ])}
    </section>`,
  };
}
