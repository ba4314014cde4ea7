import type { FastifyInstance } from "fastify";
import {
  activityFields,
  activityIdPattern,
  type Activity,
} from "../../../contract/administration.ts";
import { idOf, listQuery } from "../../../contract/list.ts";
import { maxPageSize } from "../../../contract/field-values.ts";
import type { Payment } from "../../../contract/payment.ts";
import { formatCustomer } from "../../../contract/search-words.ts";
import { listActivity } from "../../accounts/accounts-service.ts";
import { listOperators } from "../../accounts/manage-operators.ts";
import { validate } from "../../../contract/validate.ts";
import { findPayments } from "../../payments/get-payment.ts";
import type { Service } from "../../service.ts";
import { listEndpointsWithHealth } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import { createCsv, listAllPages, renderDownloadLink, type SendDownload } from "./downloads.ts";
import {
  renderAmount,
  renderEmpty,
  renderKeyCommand,
  renderShortId,
  renderTime,
} from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { readListPage, readQuery, renderPageLinks, type ListPage } from "./list-elements.ts";
import { toWords } from "./value-words.ts";
import { accountPath, type Visit } from "./visit.ts";

const limit = 50;
const activityQuery = listQuery(idOf(activityIdPattern, "an activity"), {});

/** The audit log of an account, of both modes, newest first. */
export function registerActivityPage(
  app: FastifyInstance,
  service: Service,
  sendDownload: SendDownload,
): void {
  app.get(`${accountPath}/activity`, async ({ visit, url }, reply) => {
    const page = await readListPage(readQuery(url), async (cursors) => {
      const query = { ...validate(activityQuery, cursors), limit };
      return await listActivity(service, visit.account.id, query);
    });
    const named = await findNamed(service, visit, page.items);
    return sendView(reply, renderActivity(visit, page, named));
  });
  app.get(`${accountPath}/activity.csv`, async (request, reply) => {
    const { id } = request.visit.account;
    const pages = listAllPages(async (cursors) =>
      listActivity(service, id, { ...cursors, limit: maxPageSize }),
    );
    const download = { subject: `activity-${id}`, sheet: createCsv(activityFields), pages };
    return await sendDownload(request, reply, download);
  });
}

/** What the sentences need, by one query for each kind of thing and mode, however many entries there are. */
async function findNamed(
  service: Service,
  { account }: Visit,
  entries: readonly Activity[],
): Promise<Named> {
  const scopes = [false, true].map((livemode) => ({ accountId: account.id, livemode }));
  const [operators, endpoints, payments] = await Promise.all([
    listOperators(service, account.id),
    Promise.all(scopes.map(async (scope) => listEndpointsWithHealth(service, scope))),
    Promise.all(
      scopes.map(async (scope) => {
        const ofMode = entries.filter(({ livemode }) => livemode === scope.livemode);
        const ids = new Set(ofMode.map(({ subject }) => subject.id));
        return await findPayments(service, scope, [...ids]);
      }),
    ),
  ]);
  return {
    existing: new Map([
      ...operators.map(({ id, name }) => [id, name] as const),
      ...endpoints.flat().map(({ endpoint: { id, url } }) => [id, url] as const),
    ]),
    payments: new Map(payments.flat().map((payment) => [payment.id, payment])),
  };
}

export function renderActivity(visit: Visit, page: ListPage<Activity>, named: Named): View {
  const entries = page.items.map((activity) => renderEntry(visit, activity, named));
  return {
    title: "Activity",
    section: "activity",
    actions: entries.length > 0 && renderDownloadLink(visit.addressOf("/activity.csv")),
    content: html`<p class="quiet-text">
        Changes by operators, keys and commands, in test and live mode. Kept for a year.
      </p>
      ${
        entries.length > 0
          ? html`<ol class="sheet log">
                ${entries}
              </ol>
              ${renderPageLinks("More activity", page, visit.addressOf("/activity"))}`
          : renderEmpty(
              "No activity yet",
              renderKeyCommand(
                visit,
                html`Refunds, and changes to keys, webhooks, the team and the settings appear here.
                  Begin with <a href="${visit.addressOf("/keys")}">a key</a>`,
              ),
            )
      }`,
  };
}

function renderEntry(visit: Visit, activity: Activity, named: Named): Html {
  const { livemode, subject, created } = activity;
  return html`<li>
    <p>${renderSentence(visit, activity, named)}</p>
    <p class="row small quiet-text">
      ${subject.id.startsWith("evt_") && renderShortId(subject.id)}
      ${livemode !== null && (livemode ? "Live" : "Test")} ${renderTime(created)}
    </p>
  </li>`;
}

/** The names of what audit entries name by an id, for their sentences. */
export type Named = {
  /** The endpoints and operators that exist, by id, with their addresses or names: only they have a page. */
  existing: ReadonlyMap<string, string | null>;
  /** The payments of the entries, by id. */
  payments: ReadonlyMap<string, Payment>;
};

/** An audit entry as a sentence: people, amounts and names, with links to what has a page. */
function renderSentence(visit: Visit, activity: Activity, named: Named): Html {
  const { type, name } = activity.actor;
  return html`${type === "api_key" && "Key "}<strong>${renderName(name)}</strong>
    ${renderAction(visit, activity, named)}${type === "command" && " from the command line"}`;
}

/** A name or an address, which the log cuts off where it is long. */
function renderName(name: string): Html {
  return html`<bdi title="${name}">${name}</bdi>`;
}

/** The rest of the sentence that begins with the actor. */
function renderAction(visit: Visit, activity: Activity, { existing, payments }: Named): Html {
  const { action, livemode, subject, detail } = activity;
  const mode = livemode === null ? visit.mode : livemode ? "live" : "test";
  const link = (path: string, text: Html) =>
    html`<a href="${visit.addressOf(path, { mode })}">${text}</a>`;
  const linkIfExisting = (path: string, id: string, text: Html) =>
    existing.has(id) ? link(`${path}/${id}`, text) : text;

  const name = renderName(subject.name ?? "");
  const key = link("/keys", name);
  const operator = linkIfExisting("/team", subject.id, name);
  const endpoint =
    subject.name === null
      ? linkIfExisting("/webhooks", subject.id, html`listener`)
      : html`endpoint ${linkIfExisting("/webhooks", subject.id, name)}`;
  const target =
    detail === null
      ? "all endpoints"
      : html`the endpoint
        ${linkIfExisting("/webhooks", detail, renderName(existing.get(detail) ?? "that was deleted"))}`;
  const payment = payments.get(subject.id);
  const customer = payment && formatCustomer(payment.customer);
  const amount = link(`/payments/${subject.id}`, payment ? renderAmount(payment) : html`a payment`);
  const to = customer && html`to ${renderName(customer)}`;
  const reason = detail !== null && html`: ${renderName(detail)}`;
  const sentences: Record<typeof action, Html> = {
    "account.created": html`created the account ${name}`,
    "account.renamed": html`renamed the account to ${name}`,
    "api_key.created": html`created a ${mode} key ${key}`,
    "api_key.rolled": html`rolled the ${mode} key ${key}`,
    "api_key.revoked": html`revoked the ${mode} key ${key}`,
    "payment.refunded": html`refunded ${amount} ${to}${reason}`,
    "payment.refund_requested": html`requested the refund of ${amount} ${to}${reason}`,
    "payment.canceled": html`canceled ${payment && "a payment of"} ${amount}
    ${customer && html`from ${renderName(customer)}`}`,
    "webhook_endpoint.created": html`created the ${endpoint}`,
    "webhook_endpoint.updated": html`changed the ${endpoint}`,
    "webhook_endpoint.enabled": html`enabled the ${endpoint}`,
    "webhook_endpoint.disabled": html`disabled the ${endpoint}`,
    "webhook_endpoint.rolled": html`rolled the signing secret of the ${endpoint}`,
    "webhook_endpoint.deleted": html`deleted the ${endpoint}`,
    "webhook_endpoint.tested": html`sent a test event to the ${endpoint}`,
    "webhook_endpoint.recovered": html`resent ${detail} missed
    ${detail === "1" ? "event" : "events"} to the ${endpoint}`,
    "event.resent": html`resent an event to ${target}`,
    "operator.invited": html`invited ${operator} ${detail && `as ${toWords(detail)}`}`,
    "operator.role_changed": html`changed the role of ${operator} to ${toWords(detail ?? "")}`,
    "operator.removed": html`removed ${operator}`,
    "operator.signed_in": html`signed in`,
    "operator.signed_out_everywhere": html`signed out everywhere`,
  };
  return sentences[action];
}
