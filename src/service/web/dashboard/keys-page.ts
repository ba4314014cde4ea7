import type { FastifyInstance } from "fastify";
import {
  findNameMistake,
  keyPrefix,
  type ApiKey,
  type IssuedKey,
} from "../../../contract/administration.ts";
import { ServiceError } from "../../../contract/error.ts";
import {
  createKey,
  isKeyEnded,
  listKeys,
  revokeKey,
  rollKey,
} from "../../accounts/manage-accounts.ts";
import { getForm } from "../bodies.ts";
import type { Service } from "../../service.ts";
import { html, type Html } from "../design/html.ts";
import {
  renderBadge,
  renderCommand,
  renderEmpty,
  renderField,
  renderKeyCommand,
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
import { accountPath, type Visit, type WithId } from "./visit.ts";

const path = `${accountPath}/keys`;
const hourMs = 60 * 60 * 1000;

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
    const form = { key: createFormKey(), name: "" };
    const view = renderKeys(visit, await list(visit), { form, nowMs: service.clock() });
    return sendView(reply, await addDoneNotice(service, request, view));
  });

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const { key, name } = getForm(request, ["key", "name"]);
    const mistake = findNameMistake(name);
    if (mistake !== undefined) {
      const form = { key, name, mistake: `The name ${mistake}.` };
      return sendView(
        reply,
        renderKeys(visit, await list(visit), { form, nowMs: service.clock() }),
        422,
      );
    }
    const form = { key, section: "keys", back: linkToKeys(visit) } as const;
    return await submitOnce(service, reply, form, async () => {
      const content = { account: visit.account.id, mode: visit.mode, name };
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

type NewKeyForm = { key: string; name: string; mistake?: string };

export function renderKeys(
  visit: Visit,
  keys: readonly ApiKey[],
  { form, nowMs }: { form: NewKeyForm; nowMs: number },
): View {
  return {
    title: "Keys",
    section: "keys",
    content: html`${visit.publishedKey !== undefined && renderPublished(visit, visit.publishedKey)}
      ${renderKeyList(visit, keys, nowMs)}
      <section class="sheet" aria-labelledby="create">
        <h2 id="create">New ${visit.mode} key</h2>
        <form method="post" action="${visit.addressOf("/keys")}" class="find">
          ${renderKeyField(form.key)}
          ${renderField({
            name: "name",
            label: "Name",
            hint: "The program that will use the key, for example “shop”.",
            mistake: form.mistake,
            input: html`required maxlength="200" autocomplete="off"
            value="${withoutSecrets(form.name)}"`,
          })}
          <button class="primary">Create key</button>
        </form>
      </section>`,
  };
}

export function renderNewKey(visit: Visit, { key, name, mode }: IssuedKey): View {
  return renderSecret({
    title: "New key",
    section: "keys",
    label: `The ${mode} key`,
    secret: key,
    text: "Store the key now, where only the program that uses it can read it. It is not shown again.",
    facts: [["Name", html`<bdi>${name}</bdi>`]],
    back: linkToKeys(visit),
  });
}

function renderRoll(visit: Visit, key: ApiKey): View {
  return renderConfirmation({
    title: "Roll this key?",
    section: "keys",
    facts: listFacts(key),
    text: "You get a new key with the same name, shown once. The old key works until it expires, so that you can replace it first.",
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
    { title: "Key", cell: renderShortKey },
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

function listFacts(key: ApiKey): Facts {
  return [
    ["Name", html`<bdi>${key.name}</bdi>`],
    ["Key", renderShortKey(key)],
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
