import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  listDeliveriesQuery,
  type Delivery,
  type DeliveryDetails,
  type DeliveryTry,
} from "../../../contract/delivery.ts";
import { ServiceError } from "../../../contract/error.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import { validate } from "../../../contract/validate.ts";
import type { Service } from "../../service.ts";
import { getDelivery, listDeliveries } from "../../webhooks/deliveries.ts";
import { type EndpointWithHealth, listEndpointsWithHealth } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import {
  describeResponse,
  renderBadge,
  renderCommand,
  renderCopyableId,
  renderDeliveryBadge,
  renderEmpty,
  renderFacts,
  renderText,
  renderTime,
} from "./elements.ts";
import {
  describeEvents,
  getDeliveryAddress,
  getEndpointAddress,
  linkToEndpoint,
  linkToWebhooks,
  listFacts,
  nameKind,
  renderEndpointStatus,
  renderResponse,
} from "./endpoint-elements.ts";
import { addDoneNotice, createFormKey, renderKeyField } from "./forms.ts";
import { sendView, type View } from "./frame.ts";
import {
  createNumberColumn,
  createTimeColumn,
  readListPage,
  readQuery,
  renderPageLinks,
  renderTable,
  type Column,
  type ListPage,
} from "./list-elements.ts";
import { describeAnswer } from "./value-words.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

/** Fewer than on other lists, since each has a form: a page with its style stays below 60 KiB. */
export const deliveriesLimit = 20;
const path = `${accountPath}/webhooks/:id`;
type WithDelivery = FastifyRequest<{ Params: { id: string; delivery: string } }>;

/** One endpoint or listener, and each of its deliveries. */
export function registerWebhookEndpointPage(app: FastifyInstance, service: Service): void {
  app.get(path, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const endpoints = await listEndpointsWithHealth(service, visit.scope);
    const found = endpoints.find(({ endpoint }) => endpoint.id === params.id);
    if (!found) throw new ServiceError("resource_missing", "There is no such endpoint.");
    const page = await readListPage(readQuery(url), async (cursors) => {
      const query = { ...validate(listDeliveriesQuery, cursors), limit: deliveriesLimit };
      return await listDeliveries(service, visit.scope, params.id, query);
    });
    const view = renderWebhook(visit, found, page);
    return sendView(reply, await addDoneNotice(service, request, view));
  });

  app.get(`${path}/deliveries/:delivery`, async ({ visit, params }: WithDelivery, reply) => {
    const found = await getDelivery(service, visit.scope, params);
    return sendView(reply, renderDelivery(visit, params.id, found));
  });
}

/** The page of an endpoint or listener: its facts, its actions and its deliveries. */
export function renderWebhook(
  visit: Visit,
  found: EndpointWithHealth,
  page: ListPage<Delivery>,
): View {
  const { endpoint } = found;
  const { id, url } = endpoint;
  const address = getEndpointAddress(visit, id);
  const kind = nameKind(endpoint);
  return {
    title: kind,
    // The beginning of the URL, all of which stands in the details.
    heading:
      url === null
        ? html`${kind}`
        : html`<span class="visually-hidden">Endpoint </span>${renderText(url)}`,
    section: "webhooks",
    back: linkToWebhooks(visit),
    actions: url !== null && renderActions(address, endpoint),
    content: html`<section class="sheet" aria-label="Details">
        ${renderFacts([
          ...listFacts(endpoint),
          ["Status", url !== null && renderEndpointStatus(found)],
          ["Last success", renderTime(endpoint.last_success_at)],
          ["Events", describeEvents(endpoint)],
          ["Old secret expires", renderTime(found.oldSecretUntil)],
          ["Created", renderTime(endpoint.created)],
          ["ID", renderCopyableId(id)],
        ])}
      </section>
      <div class="steps whole">
        <h2>Deliveries</h2>
        ${
          page.items.length > 0
            ? html`${renderTable("Deliveries", buildDeliveryColumns(visit, endpoint), page.items)}
              ${renderPageLinks("More deliveries", page, address)}`
            : renderNoDeliveries(visit, endpoint)
        }
      </div>
      <p class="row">
        ${url !== null && endpoint.status === "enabled" && html`<a class="secondary" href="${address}/disable">Disable…</a>`}
        <a class="secondary destructive" href="${address}/delete">Delete ${kind.toLowerCase()}…</a>
      </p>`,
  };
}

function renderNoDeliveries(visit: Visit, { id, url }: WebhookEndpoint): Html {
  const purpose =
    "Each event sent here is listed with its response, until events are deleted after a while.";
  return renderEmpty(
    "No deliveries",
    url === null
      ? html`<p class="prose">${purpose}</p>`
      : html`<p class="prose">${purpose} Send a test event above, or with the command:</p>
          ${renderCommand(`payments webhooks test ${id} --mode ${visit.mode} --base-url ${visit.apiUrl}`)}`,
  );
}

function renderActions(address: string, { status }: WebhookEndpoint): Html {
  const link = (action: string, text: string) =>
    html`<a class="secondary" href="${address}/${action}">${text}</a>`;
  const isEnabled = status === "enabled";
  const enable = html`<form method="post" action="${address}/enable">
    <button class="primary">Enable</button>
  </form>`;
  const test = html`<form method="post" action="${address}/test">
    ${renderKeyField(createFormKey())}
    <button class="${isEnabled ? "primary" : "secondary"}">Send test event</button>
  </form>`;
  return html`${!isEnabled && enable} ${test}
  ${isEnabled && link("recover", "Resend missed events…")} ${link("roll", "Roll secret…")}`;
}

function buildDeliveryColumns(visit: Visit, { id, status }: WebhookEndpoint): Column<Delivery>[] {
  const address = getEndpointAddress(visit, id);
  const resend: Column<Delivery> = {
    title: "Actions",
    isActions: true,
    cell: ({ event, type }) =>
      html`<form method="post" action="${address}/resend">
        ${renderKeyField(createFormKey())}<input type="hidden" name="event" value="${event}" />
        <button class="link">Resend<span class="visually-hidden"> ${type} ${event}</span></button>
      </form>`,
  };
  return [
    {
      title: "Event",
      cell: (delivery) =>
        html`<a href="${getDeliveryAddress(visit, id, delivery.id)}">${delivery.type}</a>`,
    },
    { title: "Status", cell: renderDeliveryBadge },
    {
      title: "Response",
      isText: true,
      cell: (delivery) => html`<span class="wraps">${describeResponse(delivery)}</span>`,
      beneath: createTimeColumn("Next attempt", ({ next_attempt_at: next }) => next),
    },
    createNumberColumn("Attempts", ({ attempts }) => attempts),
    createTimeColumn("Created", ({ created }) => created),
    ...(status === "enabled" ? [resend] : []),
  ];
}

/** One delivery to an endpoint: its attempts, and the endpoint's responses. */
export function renderDelivery(visit: Visit, endpointId: string, delivery: DeliveryDetails): View {
  const { id, event, type, attempts, next_attempt_at: next, created, tries } = delivery;
  return {
    title: `Delivery of ${type}`,
    section: "webhooks",
    back: linkToEndpoint(visit, endpointId),
    content: html`<div class="sheet">
        ${renderFacts([
          ["Status", renderDeliveryBadge(delivery)],
          ["Event", renderCopyableId(event)],
          ["Attempts", String(attempts)],
          ["Next attempt", renderTime(next)],
          ["Created", renderTime(created)],
          ["ID", renderCopyableId(id)],
        ])}
      </div>
      <div class="steps whole">
        <h2>Attempts</h2>
        ${
          tries.length > 0
            ? html`<p class="quiet-text">
                  The last 20 attempts at most, newest first. Responses are cut off where they are
                  long.
                </p>
                ${renderTable("Attempts", findUsedColumns(tries), tries.toReversed())}`
            : html`<p class="quiet-text">No attempts yet, or none is stored.</p>`
        }
      </div>`,
  };
}

/** The tryColumns that have something to show: one of texts would take much room for nothing. */
function findUsedColumns(tries: readonly DeliveryTry[]): Column<DeliveryTry>[] {
  return tryColumns.filter(({ isText, cell }) => !isText || tries.some((each) => cell(each)));
}

const tryColumns: Column<DeliveryTry>[] = [
  createTimeColumn("Time", ({ created }) => created),
  {
    title: "Status",
    cell: ({ status }) => {
      if (status === null) return renderBadge("No response", "wrong");
      return renderBadge(String(status), status >= 200 && status < 300 ? "good" : "wrong");
    },
  },
  createNumberColumn("Duration", ({ duration_ms: ms }) => (ms === null ? "" : `${ms} ms`)),
  {
    title: "Error",
    isText: true,
    cell: ({ status, error }) => {
      if (error === null) return null;
      const text = describeAnswer(error, null);
      return text !== describeAnswer(null, status) && html`<span class="entire">${text}</span>`;
    },
  },
  {
    title: "Response",
    isText: true,
    hasLabel: true,
    cell: ({ answer }) => answer && renderResponse(answer),
  },
];
