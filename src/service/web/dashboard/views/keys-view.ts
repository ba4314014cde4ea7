import { keyPrefix, type ApiKey, type IssuedKey } from "../../../../contract/key.ts";
import { isKeyEnded } from "../../../accounts/manage-keys.ts";
import { renderKeyField } from "../idempotent-forms.ts";
import { html, type Html } from "../html.ts";
import { overlaps, defaultOverlap } from "../overlap.ts";
import type { Visit } from "../visit.ts";
import { renderConfirmation } from "./asking-view.ts";
import {
  renderBadge,
  renderCommand,
  renderEmpty,
  renderField,
  renderSelect,
  renderTable,
  renderTime,
  type Column,
} from "./elements.ts";
import type { View } from "./frame.ts";
import { renderShownOnce } from "./shown-once-view.ts";

export type NewKeyForm = { key: string; name: string; mistake?: string };

/** The keys of an account and mode, and the form for another one. */
export function renderKeys(
  visit: Visit,
  keys: readonly ApiKey[],
  { form, nowMs }: { form: NewKeyForm; nowMs: number },
): View {
  return {
    title: "Keys",
    place: "keys",
    content: html`${keys.length > 0 ? renderTable("Keys", columnsFor(visit, nowMs), keys) : nothing(visit)}
      <section class="sheet" aria-labelledby="create">
        <h2 id="create">New ${visit.mode} key</h2>
        <form method="post" action="${visit.addressOf("/keys")}" class="find">
          ${renderKeyField(form.key)}
          ${renderField({
            name: "name",
            label: "Name",
            hint: "What will use it, such as shop or ci.",
            mistake: form.mistake,
            input: html`required maxlength="200" autocomplete="off" value="${form.name}"`,
          })}
          <button class="primary">Create key</button>
        </form>
      </section>`,
  };
}

/** A new key, this once. */
export function renderNewKey(visit: Visit, { key, name, mode }: IssuedKey): View {
  return renderShownOnce({
    title: "New key",
    place: "keys",
    label: `The ${mode} key`,
    secret: key,
    says: "Keep it now, where only the program that uses it can read it: it is not shown again.",
    facts: [["Name", html`<bdi>${name}</bdi>`]],
    back: renderKeysLink(visit),
  });
}

export function renderRollKey(visit: Visit, key: ApiKey, formKey: string): View {
  return renderConfirmation({
    title: "Roll this key?",
    place: "keys",
    facts: factsOf(key),
    says: "You get a new key of the same name, shown once. The old one still works for as long as you choose here, so that you can put the new one in its place.",
    action: visit.addressOf(`/keys/${key.id}/roll`),
    inputs: html`${renderKeyField(formKey)}
    ${renderSelect({
      name: "overlap",
      label: "The old key still works",
      options: overlaps,
      chosen: defaultOverlap,
    })}`,
    button: "Roll key",
    back: renderKeysLink(visit),
  });
}

export function renderRevokeKey(visit: Visit, key: ApiKey): View {
  return renderConfirmation({
    title: "Revoke this key?",
    place: "keys",
    facts: factsOf(key),
    says: "Within a second no request with it is accepted any more. This cannot be undone. To replace it without a gap, roll it instead.",
    action: visit.addressOf(`/keys/${key.id}/revoke`),
    button: "Revoke key",
    isDangerous: true,
    back: renderKeysLink(visit),
  });
}

export function renderKeysLink(visit: Visit): { address: string; text: string } {
  return { address: visit.addressOf("/keys"), text: "All keys" };
}

function columnsFor(visit: Visit, nowMs: number): Column<ApiKey>[] {
  return [
    { title: "Name", cell: ({ name }) => html`<bdi class="text">${name}</bdi>` },
    { title: "Key", cell: shortKey },
    { title: "State", cell: (key) => stateOf(key, nowMs) },
    { title: "Created", cell: ({ created }) => renderTime(created) },
    { title: "Last used", cell: ({ last_used_at: usedAt }) => renderTime(usedAt) ?? "never" },
    {
      title: "Actions",
      cell: ({ id, name, ...key }) =>
        !isKeyEnded(key, nowMs) &&
        html`<div class="row">
          ${action(visit, `/keys/${id}/roll`, "Roll…", name)}
          ${action(visit, `/keys/${id}/revoke`, "Revoke…", name)}
        </div>`,
    },
  ];
}

function action(visit: Visit, path: string, text: string, name: string): Html {
  return html`<a href="${visit.addressOf(path)}">${text}<span class="unseen"> ${name}</span></a>`;
}

function stateOf(key: ApiKey, nowMs: number): Html {
  const { expires_at: expiresAt, revoked_at: revokedAt } = key;
  if (revokedAt !== null) return html`${renderBadge("revoked")} ${renderTime(revokedAt)}`;
  if (expiresAt === null) return renderBadge("active", "good");
  return isKeyEnded(key, nowMs)
    ? html`${renderBadge("expired")} ${renderTime(expiresAt)}`
    : html`${renderBadge("expires", "waiting")} ${renderTime(expiresAt)}`;
}

function factsOf(key: ApiKey): [string, Html | string | null][] {
  return [
    ["Name", html`<bdi>${key.name}</bdi>`],
    ["Key", shortKey(key)],
    ["Last used", renderTime(key.last_used_at) ?? "never"],
  ];
}

/** As much of a key as is kept of it. */
function shortKey({ mode, last4 }: ApiKey): Html {
  return html`<span class="mono">${keyPrefix(mode)}…${last4}</span>`;
}

function nothing({ mode, apiUrl }: Visit): Html {
  return renderEmpty(
    `No ${mode} keys yet`,
    html`<p class="prose">
        A key lets a program ask the API in the name of this account. It goes along with each
        request:
      </p>
      ${renderCommand(`curl ${apiUrl}/v1/payments -H "Authorization: Bearer ${keyPrefix(mode)}…"`)}`,
  );
}
