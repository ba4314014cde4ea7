import type { FastifyInstance } from "fastify";
import {
  activityFields,
  activityIdPattern,
  type Activity,
  type Actor,
} from "../../../contract/activity.ts";
import { idOf } from "../../../contract/field-schemas.ts";
import { modes } from "../../../contract/key.ts";
import { listQuery } from "../../../contract/list-object.ts";
import { maxPageSize } from "../../../contract/routes.ts";
import { validate } from "../../http/validate.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import { listAllPages, renderDownloadLink, type SendDownload } from "./downloads.ts";
import { renderId, renderTime } from "./elements.ts";
import { sendView, type View } from "./frame.ts";
import { readListPage, readQuery, renderPageLinks, type ListPage } from "./list-page.ts";
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
    const [page, existing] = await Promise.all([
      readListPage(readQuery(url), async (cursors) => {
        const query = { ...validate(activityQuery, cursors), limit };
        return await service.listActivity(visit.account.id, query);
      }),
      findExisting(service, visit),
    ]);
    return sendView(reply, renderActivity(visit, page, existing));
  });
  app.get(`${accountPath}/activity.csv`, async (request, reply) => {
    const { id } = request.visit.account;
    const pages = listAllPages(async (cursors) =>
      service.listActivity(id, { ...cursors, limit: maxPageSize }),
    );
    const download = { subject: `activity-${id}`, columns: activityFields, pages };
    return await sendDownload(request, reply, download);
  });
}

/** The ids of the endpoints and operators that exist: only they have a page. */
async function findExisting(service: Service, { account }: Visit): Promise<Set<string>> {
  const [operators, ...endpoints] = await Promise.all([
    service.listOperators(account.id),
    ...modes.map(async (mode) =>
      service.watchEndpoints({ accountId: account.id, livemode: mode === "live" }),
    ),
  ]);
  return new Set([
    ...operators.map(({ id }) => id),
    ...endpoints.flat().map(({ endpoint }) => endpoint.id),
  ]);
}

export function renderActivity(
  visit: Visit,
  page: ListPage<Activity>,
  existing: ReadonlySet<string>,
): View {
  const entries = page.items.map(
    (activity) =>
      html`<li>
        <p>${renderActor(activity.actor)} ${renderAction(visit, activity, existing)}</p>
        <p class="small quiet-text">${renderTime(activity.created)}</p>
      </li>`,
  );
  return {
    title: "Activity",
    section: "activity",
    content: html`<div class="row apart">
        <p class="quiet-text">In both modes, stored for a year.</p>
        ${entries.length > 0 && renderDownloadLink(visit.addressOf("/activity.csv"))}
      </div>
      ${
        entries.length > 0
          ? html`<ol class="sheet log">
                ${entries}
              </ol>
              ${renderPageLinks("More activity", page, visit.addressOf("/activity"))}`
          : html`<p>Nothing yet.</p>`
      }`,
  };
}

function renderActor({ type, name }: Actor): Html {
  const actor = html`<strong><bdi>${name}</bdi></strong>`;
  switch (type) {
    case "operator":
      return actor;
    case "api_key":
      return html`The key ${actor}`;
    case "command":
      return html`${actor}, by a command,`;
    default:
      return type satisfies never;
  }
}

/** The rest of the sentence that begins with the actor. */
function renderAction(visit: Visit, activity: Activity, existing: ReadonlySet<string>): Html {
  const { action, livemode, subject, detail } = activity;
  const mode = livemode === null ? visit.mode : livemode ? "live" : "test";
  const name = subject.name === null ? renderId(subject.id) : html`<bdi>${subject.name}</bdi>`;
  const link = (path: string, text: Html) =>
    html`<a href="${visit.addressOf(path, { mode })}">${text}</a>`;
  const linkIfExisting = (path: string, id: string, text: Html) =>
    existing.has(id) ? link(`${path}/${id}`, text) : text;
  const endpoint =
    subject.name === null
      ? html`the ${mode} ${linkIfExisting("/webhooks", subject.id, html`listener`)}`
      : html`the ${mode} endpoint ${linkIfExisting("/webhooks", subject.id, name)}`;
  const key = html`the ${mode} key ${link("/keys", name)}`;
  const operator = linkIfExisting("/team", subject.id, name);
  const payment = html`the ${mode} payment ${link(`/payments/${subject.id}`, renderId(subject.id))}`;
  const target =
    detail === null ? html`all endpoints` : linkIfExisting("/webhooks", detail, html`an endpoint`);
  const sentences: Record<typeof action, Html> = {
    "account.created": html`created the account ${name}`,
    "account.renamed": html`named the account ${name}`,
    "api_key.created": html`created ${key}`,
    "api_key.rolled": html`rolled ${key}`,
    "api_key.revoked": html`revoked ${key}`,
    "payment.refunded": html`refunded ${payment}`,
    "payment.refund_requested": html`requested the refund of ${payment}`,
    "payment.canceled": html`canceled ${payment}`,
    "webhook_endpoint.created": html`created ${endpoint}`,
    "webhook_endpoint.updated": html`changed ${endpoint}`,
    "webhook_endpoint.enabled": html`enabled ${endpoint}`,
    "webhook_endpoint.disabled": html`disabled ${endpoint}`,
    "webhook_endpoint.rolled": html`rolled the secret of ${endpoint}`,
    "webhook_endpoint.deleted": html`deleted ${endpoint}`,
    "webhook_endpoint.tested": html`tested ${endpoint}`,
    "webhook_endpoint.recovered": html`queued ${detail} missed
    ${detail === "1" ? "event" : "events"} for ${endpoint}`,
    "event.resent": html`resent the ${mode} event ${renderId(subject.id)} to ${target}`,
    "operator.invited": html`made a link for ${operator}, as ${detail}`,
    "operator.role_changed": html`made ${operator} ${detail}`,
    "operator.removed": html`removed ${operator}`,
    "operator.signed_in": html`signed in`,
    "operator.signed_out_everywhere": html`signed out everywhere`,
  };
  return sentences[action];
}
