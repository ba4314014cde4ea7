import type { FastifyInstance } from "fastify";
import { activityFields, activityIdPattern, type Activity } from "../../../contract/activity.ts";
import { idOf } from "../../../contract/field-schemas.ts";
import { listQuery } from "../../../contract/list-object.ts";
import { maxPageSize } from "../../../contract/routes.ts";
import { validate } from "../../input/validate.ts";
import type { Service } from "../../use-cases/service.ts";
import { html, type Html } from "../design/html.ts";
import { listAllPages, renderDownloadLink, type SendDownload } from "./downloads.ts";
import { renderSentence, type Named } from "./activity-sentences.ts";
import { renderEmpty, renderKeyCommand, renderShortId, renderTime } from "./elements.ts";
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
    const page = await readListPage(readQuery(url), async (cursors) => {
      const query = { ...validate(activityQuery, cursors), limit };
      return await service.listActivity(visit.account.id, query);
    });
    const named = await findNamed(service, visit, page.items);
    return sendView(reply, renderActivity(visit, page, named));
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

/** What the sentences need, by one query for each kind of thing and mode, however many entries there are. */
async function findNamed(
  service: Service,
  { account }: Visit,
  entries: readonly Activity[],
): Promise<Named> {
  const scopes = [false, true].map((livemode) => ({ accountId: account.id, livemode }));
  const [operators, endpoints, payments] = await Promise.all([
    service.listOperators(account.id),
    Promise.all(scopes.map(async (scope) => service.listEndpointsWithHealth(scope))),
    Promise.all(
      scopes.map(async (scope) => {
        const { livemode } = scope;
        const ids = entries.filter((entry) => entry.livemode === livemode).map(idOfSubject);
        return await service.findPayments(scope, [...new Set(ids)]);
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

function idOfSubject({ subject }: Activity): string {
  return subject.id;
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
