import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Action, Activity } from "../../../contract/administration.ts";
import { findIdempotencyKeyMistake } from "../../../contract/route.ts";
import { ServiceError } from "../../../contract/error.ts";
import { listActivity } from "../../accounts/accounts-service.ts";
import { toPrincipal } from "../../accounts/manage-accounts.ts";
import type { Ability } from "../../accounts/operator-state.ts";
import {
  computeFingerprint,
  consumeIdempotencyKey,
  type IdempotentRequest,
} from "../../idempotency/run-idempotently.ts";
import { getForm } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { html, type Html } from "../design/html.ts";
import { renderFacts, renderNotice, renderSelect, type Facts, type Link } from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { readQuery } from "./list-elements.ts";
import { toWords } from "./value-words.ts";
import type { Section, Visit, WithId } from "./visit.ts";

export type Confirmation = {
  title: string;
  section: Section;
  /** The reason why the form was refused before. */
  problem?: string | undefined;
  facts: Facts;
  /** The effect of the button. */
  text: string;
  action: string;
  inputs?: Html;
  /** Left out where there is nothing to do any more. */
  button?: string;
  /** For what cannot be undone. */
  isDangerous?: boolean;
  /** The page to return to, also by canceling. */
  back: Link;
  /** The link beside the button, where "Cancel" could mean the action itself. */
  cancel?: string;
};

/** A page that says what its button will do before the button does it. */
export function renderConfirmation(confirmation: Confirmation): View {
  const { title, section, problem, facts, text, action, inputs, button, isDangerous, back } =
    confirmation;
  const { cancel = "Cancel" } = confirmation;
  return {
    title,
    section,
    back,
    isNarrow: true,
    content: html`${problem && renderNotice("wrong", problem)}
      <div class="sheet question">
        ${renderFacts(facts)}
        <p class="prose">${text}</p>
        ${
          button !== undefined &&
          html`<form method="post" action="${action}" class="steps">
            ${inputs}
            <div class="row">
              <button class="${isDangerous ? "dangerous" : "primary"}">${button}</button>
              <a class="secondary" href="${back.address}">${cancel}</a>
            </div>
          </form>`
        }
      </div>`,
  };
}

/** The confirmation of an action on one thing, and its form. `run` gives the address of the next page, or a refusal. */
export function registerConfirmation<Thing>(
  app: FastifyInstance,
  path: string,
  {
    needs = "administer",
    find,
    view,
    run,
  }: {
    needs?: Ability;
    /** Errors: resource_missing. */
    find: (visit: Visit, id: string) => Promise<Thing>;
    view: (visit: Visit, thing: Thing) => Confirmation;
    run: (visit: Visit, thing: Thing) => Promise<string | { problem: string; status: number }>;
  },
): void {
  const options = { config: { needs } };
  app.get(path, options, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderConfirmation(view(visit, await find(visit, params.id)))),
  );
  app.post(path, options, async (request: WithId, reply) => {
    const { visit, params } = request;
    getForm(request, []);
    const thing = await find(visit, params.id);
    const next = await run(visit, thing);
    if (typeof next === "string") return reply.redirect(next, 303);
    const { problem, status } = next;
    const now = view(visit, await find(visit, params.id));
    return sendView(reply, renderConfirmation({ ...now, problem }), status);
  });
}

/** After how many hours a rolled secret expires. */
const overlaps = [
  ["0", "Immediately"],
  ["1", "In 1 hour"],
  ["24", "In 24 hours"],
  ["72", "In 3 days"],
  ["168", "In 7 days"],
] as const;
const defaultOverlap = "24";

/** The inputs of a form that rolls a secret. */
export function renderRollInputs(overlapLabel: string): Html {
  return html`${renderKeyField(createFormKey())}
  ${renderSelect({ name: "overlap", label: overlapLabel, options: overlaps, selected: defaultOverlap })}`;
}

/** The idempotency key of a form that rolls a secret, and its overlap. Errors: parameter_invalid. */
export function readRollForm(request: FastifyRequest): { key: string; overlapHours: number } {
  const { key, overlap } = getForm(request, ["key", "overlap"]);
  if (!overlaps.some(([hours]) => hours === overlap)) {
    throw new ServiceError("parameter_invalid", "The form offers no such overlap.", "overlap");
  }
  return { key, overlapHours: Number(overlap) };
}

type SecretPage = {
  title: string;
  section: Section;
  label: string;
  secret: string;
  /** The instructions for it. */
  text: Html | string;
  facts: Facts;
  back: Link;
};

/** The page that shows a new secret, once: it answers the form that made it, and has no address. */
export function renderSecret(page: SecretPage): View {
  const { title, section, label, secret, text, facts, back } = page;
  return {
    title,
    section,
    back,
    isNarrow: true,
    content: html`${renderNotice("waiting", text)}
      <div class="sheet">
        ${renderFacts(facts)}
        <div class="secret">
          <label for="secret">${label}</label>
          <div class="row">
            <textarea id="secret" readonly spellcheck="false" autocomplete="off" rows="2">
${secret}</textarea>
            <button type="button" class="primary" data-copies="secret" hidden>Copy</button>
          </div>
        </div>
      </div>`,
  };
}

// A form with an idempotency key of its own runs once, even if the browser sends it twice: by two clicks, or by going
// back.

/** A new key for the form of a page. */
export function createFormKey(): string {
  return randomUUID();
}

export function renderKeyField(key: string): Html {
  return html`<input type="hidden" name="key" value="${key}" />`;
}

/**
 * Runs a form that makes a secret, and shows it. A secret is not stored, so a form that is sent a second time, by
 * reloading or by going back, is refused instead of replayed.
 */
export async function submitOnce(
  service: Service,
  reply: FastifyReply,
  { key, section, back }: { key: string; section: Section; back: Link },
  sendSecret: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { visit } = reply.request;
  const request = await toIdempotentRequest(service, reply.request, key);
  return (await consumeIdempotencyKey(service, visit.scope, request))
    ? await sendSecret()
    : sendAlreadySubmitted(reply, section, back);
}

export function sendAlreadySubmitted(
  reply: FastifyReply,
  section: Section,
  back: Link,
): FastifyReply {
  const content = html`<p class="prose">
      This form was already submitted, and nothing new was created. Its secret was shown once; if
      you did not store it, create another one.
    </p>
    <p><a href="${back.address}">${back.text}</a></p>`;
  return sendView(reply, { title: "Already submitted", section, content }, 409);
}

/** The request of a form with an idempotency key; `body` has its other fields. Errors: parameter_invalid. */
export async function toIdempotentRequest(
  service: Service,
  { visit, url: path }: FastifyRequest,
  key: string,
  body: object = {},
): Promise<IdempotentRequest> {
  const principal = await toPrincipal(service, visit.scope);
  if (!principal || findIdempotencyKeyMistake(key) !== undefined) {
    throw new ServiceError("parameter_invalid", "The form was changed after the page was sent.");
  }
  const request = { method: "POST", path, body };
  return { key, fingerprint: computeFingerprint(principal.fingerprintSecret, request) };
}

/** What the page after an action says, by the audit entry of the action. */
const sentences = {
  "account.renamed": ({ name }) => html`The account is named ${name} now.`,
  "api_key.revoked": ({ name }) => html`Key ${name} was revoked.`,
  "operator.role_changed": ({ name, detail }) => html`The role of ${name} is ${detail} now.`,
  "operator.removed": ({ name }) => html`${name} was removed from this account.`,
  "webhook_endpoint.enabled": () => html`The endpoint was enabled: events are sent to it again.`,
  "webhook_endpoint.disabled": () => html`The endpoint was disabled: nothing is sent to it.`,
  "webhook_endpoint.deleted": ({ name }) =>
    name ? html`The endpoint ${name} was deleted.` : html`The listener was deleted.`,
  "event.resent": () => html`The event was queued, and will be sent again at once.`,
} as const satisfies {
  [Each in Action]?: (named: { name: Html | "" | null; detail: string }) => Html;
};

type DoneAction = keyof typeof sentences;

/** How long after an action its page says so: the address may be reloaded, or sent to others. */
const shownMs = 5 * 60 * 1000;
/** Others act at the same time. */
const newestEntries = 10;

/** The address of the page after an action on a thing, such as a key, by its id. */
export function toAddressAfter(address: string, action: DoneAction, id: string): string {
  return `${address}?${new URLSearchParams({ just: action, id }).toString()}`;
}

/** A page that begins with what its operator has just done, as the audit log has it. */
export async function addDoneNotice(
  service: Service,
  { visit, url }: FastifyRequest,
  view: View,
): Promise<View> {
  const query = readQuery(url);
  const action = query.get("just");
  if (action === null || !isDoneAction(action)) return view;
  const entry = await findEntry(service, visit, { action, id: query.get("id") });
  if (!entry) return view;
  const name = entry.subject.name && html`<bdi>${entry.subject.name}</bdi>`;
  const text = sentences[action]({ name, detail: toWords(entry.detail ?? "") });
  return { ...view, content: html`${renderNotice("good", text)} ${view.content}` };
}

function isDoneAction(action: string): action is DoneAction {
  return Object.hasOwn(sentences, action);
}

/** The audit entry of what the operator has done a moment ago. */
async function findEntry(
  service: Service,
  { account, actor }: Visit,
  done: { action: DoneAction; id: string | null },
): Promise<Activity | undefined> {
  const { items } = await listActivity(service, account.id, { limit: newestEntries });
  return items.find(
    (entry) =>
      entry.action === done.action &&
      entry.subject.id === done.id &&
      entry.actor.id === actor.id &&
      service.clock() - entry.created * 1000 < shownMs,
  );
}
