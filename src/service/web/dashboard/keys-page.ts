import type { FastifyInstance } from "fastify";
import {
  findNameMistake,
  formatGrant,
  isRestricted,
  keyPrefix,
  parseMaxRefund,
  type ApiKey,
  type IssuedKey,
  type KeyGrant,
} from "../../../contract/administration.ts";
import { permissionMeanings, permissions } from "../../../contract/field-values.ts";
import { ServiceError } from "../../../contract/error.ts";
import {
  createKey,
  isKeyEnded,
  listKeys,
  revokeKey,
  rollKey,
} from "../../accounts/manage-accounts.ts";
import { getForm } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { html, type Html } from "../design/html.ts";
import {
  renderBadge,
  renderCommand,
  renderEmpty,
  renderField,
  renderKeyCommand,
  renderSelect,
  renderTime,
  withoutSecrets,
  type Facts,
  type Link,
} from "./elements.ts";
import {
  addDoneNotice,
  createFormKey,
  readRollForm,
  registerConfirmation,
  renderConfirmation,
  renderKeyField,
  renderRollInputs,
  renderSecret,
  submitOnce,
  toAddressAfter,
} from "./forms.ts";
import { sendView, type View } from "./frame.ts";
import { createTextColumn, createTimeColumn, renderTable, type Column } from "./list-elements.ts";
import { toWords } from "./value-words.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

const path = `${accountPath}/keys`;
const hourMs = 60 * 60 * 1000;

/** After how many days a new key expires. */
const lifetimes = [
  ["", "Never"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const;

const fields = ["key", "name", "max_refund", "expires", ...permissions] as const;
/** The form of a new key; the checkbox of a permission is checked if its field is not empty. */
type KeyForm = Record<(typeof fields)[number], string>;
type KeyMistakes = { name?: string; permissions?: string; max_refund?: string };

/** The keys of an account and mode. A new key is shown only in the response to its form. */
export function registerKeysPage(app: FastifyInstance, service: Service): void {
  /** Newest first. */
  async function list({ account, mode }: Visit): Promise<ApiKey[]> {
    const keys = await listKeys(service, account.id);
    return keys.filter((key) => key.mode === mode).toReversed();
  }

  /** Errors: resource_missing. */
  async function find(visit: Visit, id: string): Promise<ApiKey> {
    const key = (await list(visit)).find((each) => each.id === id);
    if (!key) throw createMissingError();
    return key;
  }

  app.get(path, async (request, reply) => {
    const { visit } = request;
    const form = createKeyForm(createFormKey());
    const view = renderKeys(visit, await list(visit), { form, nowMs: service.clock() });
    return sendView(reply, await addDoneNotice(service, request, view));
  });

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const form = getForm(request, fields);
    const nowMs = service.clock();
    const parsed = parseForm(form, nowMs);
    if ("mistakes" in parsed) {
      const { mistakes } = parsed;
      return sendView(reply, renderKeys(visit, await list(visit), { form, mistakes, nowMs }), 422);
    }
    const once = { key: form.key, section: "keys", back: linkToKeys(visit) } as const;
    return await submitOnce(service, reply, once, async () => {
      const content = { account: visit.account.id, mode: visit.mode, ...parsed.request };
      const issued = await createKey(service, content, visit.actor);
      return sendView(reply, renderNewKey(visit, issued), 201);
    });
  });

  app.get(`${path}/:id/roll`, async ({ visit, params }: WithId, reply) => {
    const key = requireActive(await find(visit, params.id), service.clock());
    return sendView(reply, renderRoll(visit, key));
  });

  app.post(`${path}/:id/roll`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, overlapHours } = readRollForm(request);
    const form = { key, section: "keys", back: linkToKeys(visit) } as const;
    return await submitOnce(service, reply, form, async () => {
      const rolled = requireActive(await find(visit, params.id), service.clock());
      const issued = await rollKey(service, rolled, overlapHours * hourMs, visit.actor);
      if (!issued) throw createMissingError();
      return sendView(reply, renderNewKey(visit, issued), 201);
    });
  });

  registerConfirmation(app, `${path}/:id/revoke`, {
    find,
    view: (visit, key) => ({
      title: "Revoke this key?",
      section: "keys",
      facts: listFacts(requireActive(key, service.clock())),
      text: "Requests with this key are refused within a second. This cannot be undone. To replace the key without a gap, roll it instead.",
      action: visit.addressOf(`/keys/${key.id}/revoke`),
      button: "Revoke key",
      isDangerous: true,
      back: linkToKeys(visit),
    }),
    run: async (visit, key) => {
      await revokeKey(service, key, visit.actor);
      return toAddressAfter(linkToKeys(visit).address, "api_key.revoked", key.id);
    },
  });
}

/** Errors: resource_missing. */
function requireActive(key: ApiKey, nowMs: number): ApiKey {
  if (isKeyEnded(key, nowMs)) throw createMissingError();
  return key;
}

function createMissingError(): ServiceError {
  return new ServiceError("resource_missing", "There is no such key that works.");
}

/** The form as it is at first: the key may everything, for ever. */
export function createKeyForm(key: string): KeyForm {
  return {
    key,
    name: "",
    max_refund: "",
    expires: "",
    create: "on",
    read: "on",
    refund: "on",
    webhooks: "on",
  };
}

type ParsedForm =
  | { request: KeyGrant & Pick<ApiKey, "name" | "expires_at"> }
  | { mistakes: KeyMistakes };

/** A form as a new key, or its mistakes. Errors: parameter_invalid. */
function parseForm(form: KeyForm, nowMs: number): ParsedForm {
  if (!lifetimes.some(([days]) => days === form.expires)) {
    throw new ServiceError("parameter_invalid", "The form offers no such expiry.", "expires");
  }
  const { name } = form;
  const allowed = permissions.filter((permission) => form[permission] !== "");
  const typedLimit = form.max_refund.trim();
  const maxRefund = typedLimit === "" ? null : parseMaxRefund(typedLimit);
  const nameMistake = findNameMistake(name);
  const mistakes = {
    ...(nameMistake !== undefined && { name: `The name ${nameMistake}.` }),
    ...(allowed.length === 0 && { permissions: "Choose at least one permission." }),
    ...(maxRefund === undefined && {
      max_refund: "The largest refund must be an amount in minor units, such as 5000 for 50.00.",
    }),
  };
  if (maxRefund === undefined || Object.keys(mistakes).length > 0) return { mistakes };
  const lifetimeMs = Number(form.expires) * 24 * hourMs;
  const expiresAt = form.expires === "" ? null : Math.ceil((nowMs + lifetimeMs) / 1000);
  return { request: { name, permissions: allowed, max_refund: maxRefund, expires_at: expiresAt } };
}

export function renderKeys(
  visit: Visit,
  keys: readonly ApiKey[],
  { form, mistakes = {}, nowMs }: { form: KeyForm; mistakes?: KeyMistakes; nowMs: number },
): View {
  return {
    title: "Keys",
    section: "keys",
    content: html`${visit.publishedKey !== undefined && renderPublished(visit, visit.publishedKey)}
      ${renderKeyList(visit, keys, nowMs)}
      <section class="sheet" aria-labelledby="create">
        <h2 id="create">New ${visit.mode} key</h2>
        <form method="post" action="${visit.addressOf("/keys")}" class="steps">
          ${renderKeyField(form.key)}
          ${renderField({
            name: "name",
            label: "Name",
            hint: "The program that will use the key, for example “shop”.",
            mistake: mistakes.name,
            input: html`required maxlength="200" autocomplete="off"
            value="${withoutSecrets(form.name)}"`,
          })}
          ${renderPermissions(form, mistakes.permissions)}
          ${renderField({
            name: "max_refund",
            label: html`Largest refund <span class="optional">(optional)</span>`,
            hint: "In minor units of any currency: 5000 is 50.00.",
            mistake: mistakes.max_refund,
            input: html`inputmode="numeric" autocomplete="off"
            value="${withoutSecrets(form.max_refund)}"`,
          })}
          ${renderSelect({ name: "expires", label: "Expires", options: lifetimes, selected: form.expires })}
          <button class="primary">Create key</button>
        </form>
      </section>`,
  };
}

/** A box for each permission; a mistake is said of all of them. */
function renderPermissions(form: KeyForm, mistake: string | undefined): Html {
  return html`<fieldset ${mistake !== undefined && html` aria-describedby="permissions-mistake"`}>
    <legend>Permissions</legend>
    ${permissions.map(
      (permission) =>
        html`<label class="choice"
          ><input
            type="checkbox"
            name="${permission}"
            ${form[permission] !== "" && html` checked`}
          />
          <span
            >${toWords(permission)}:
            <span class="quiet-text">${permissionMeanings[permission]}</span></span
          ></label
        >`,
    )}
    ${mistake !== undefined && html`<p class="mistake" id="permissions-mistake">${mistake}</p>`}
  </fieldset>`;
}

export function renderNewKey(visit: Visit, issued: IssuedKey): View {
  const { key, name, mode } = issued;
  return renderSecret({
    title: "New key",
    section: "keys",
    label: `The ${mode} key`,
    secret: key,
    text: "Store the key now, where only the program that uses it can read it. It is not shown again.",
    facts: [["Name", html`<bdi>${name}</bdi>`], ...listLimits(issued)],
    back: linkToKeys(visit),
  });
}

function renderRoll(visit: Visit, key: ApiKey): View {
  return renderConfirmation({
    title: "Roll this key?",
    section: "keys",
    facts: listFacts(key),
    text: "You get a new key with the same name, permissions and limits, shown once. The old key works until it expires, so that you can replace it first.",
    action: visit.addressOf(`/keys/${key.id}/roll`),
    inputs: renderRollInputs("The old key expires"),
    button: "Roll key",
    back: linkToKeys(visit),
  });
}

function linkToKeys(visit: Visit): Link {
  return { address: visit.addressOf("/keys"), text: "All keys" };
}

function buildColumns(visit: Visit, nowMs: number): Column<ApiKey>[] {
  const link = ({ id, name }: ApiKey, action: string, text: string, look = "") =>
    html`<a class="${look}" href="${visit.addressOf(`/keys/${id}/${action}`)}"
      >${text}<span class="visually-hidden"> ${name}</span></a
    >`;
  return [
    createTextColumn("Name", ({ name }) => name, {
      beneath: createTimeColumn("Created", ({ created }) => created),
    }),
    { title: "Key", cell: (key) => html`${renderShortKey(key)} ${renderGrant(key)}` },
    { title: "Status", cell: (key) => renderKeyStatus(key, nowMs) },
    createTimeColumn("Last used", ({ last_used_at: usedAt }) => usedAt, { none: "never" }),
    {
      title: "Actions",
      isActions: true,
      cell: (key) =>
        !isKeyEnded(key, nowMs) &&
        html`<div class="row">
          ${link(key, "roll", "Roll…")} ${link(key, "revoke", "Revoke…", "destructive")}
        </div>`,
    },
  ];
}

function renderKeyStatus(key: ApiKey, nowMs: number): Html {
  const { expires_at: expiresAt, revoked_at: revokedAt } = key;
  if (revokedAt !== null) return renderBadge(html`Revoked ${renderTime(revokedAt)}`);
  if (expiresAt === null) return renderBadge("Active", "good");
  return isKeyEnded(key, nowMs)
    ? renderBadge(html`Expired ${renderTime(expiresAt)}`)
    : renderBadge(html`Expires ${renderTime(expiresAt)}`, "waiting");
}

/** What a key may, unless that is everything: whole, since the end of a shortened text could be what matters. */
function renderGrant(key: ApiKey): Html | false {
  return (
    isRestricted(key) && html`<span class="entire quiet-text">${toWords(formatGrant(key))}</span>`
  );
}

/** What limits a key. */
function listLimits(key: ApiKey): Facts {
  return [
    ["Permissions", isRestricted(key) && toWords(formatGrant(key))],
    ["Expires", renderTime(key.expires_at)],
  ];
}

function listFacts(key: ApiKey): Facts {
  return [
    ["Name", html`<bdi>${key.name}</bdi>`],
    ["Key", renderShortKey(key)],
    ...listLimits(key),
    ["Last used", renderTime(key.last_used_at) ?? "Never"],
  ];
}

/** The stored part of a key. */
function renderShortKey({ mode, last4 }: ApiKey): Html {
  return html`<span class="mono">${keyPrefix(mode)}…${last4}</span>`;
}

function renderPublished({ mode }: Visit, key: string): Html {
  return html`<section class="sheet" aria-labelledby="published">
    <h2 id="published">The sandbox's ${mode} key</h2>
    <p class="prose">Every sandbox has this key, and no other service accepts it.</p>
    ${renderCommand(key)}
  </section>`;
}

function renderKeyList(visit: Visit, keys: readonly ApiKey[], nowMs: number): Html | false {
  if (keys.length > 0) return renderTable("Keys", buildColumns(visit, nowMs), keys);
  if (visit.publishedKey !== undefined) return false;
  const first = html`A key lets a program make payments for this account. Create one below`;
  return renderEmpty(`No ${visit.mode} keys yet`, renderKeyCommand(visit, first));
}
