import type { Delivery } from "../../../contract/delivery.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import type { EndpointWithHealth } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import {
  describeResponse,
  renderCommand,
  renderDeliveryBadge,
  renderEmpty,
  renderFacts,
  renderCopyableId,
  renderText,
  renderTime,
} from "./elements.ts";
import {
  describeEvents,
  getDeliveryAddress,
  getEndpointAddress,
  linkToWebhooks,
  listFacts,
  renderEndpointStatus,
} from "./endpoint-elements.ts";
import { createFormKey, renderKeyField } from "./forms.ts";
import type { View } from "./frame.ts";
import { renderPageLinks, type ListPage } from "./list-page.ts";
import {
  createNumberColumn,
  createTimeColumn,
  renderTable,
  type Column,
} from "./table-elements.ts";
import type { Visit } from "./visit.ts";

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
    heading: url === null ? html`${kind}` : renderHeading(url),
    section: "webhooks",
    back: linkToWebhooks(visit),
    actions: url !== null && renderActions(address, endpoint),
    content: html`<section class="sheet" aria-label="Details">
        ${renderFacts([
          ...listFacts(endpoint),
          ["Status", url !== null && renderEndpointStatus(found)],
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
            ? html`${renderTable("Deliveries", buildColumns(visit, endpoint), page.items)}
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

/** The beginning of the URL, all of which stands in the details. */
function renderHeading(url: string): Html {
  return html`<span class="visually-hidden">Endpoint </span>${renderText(url)}`;
}

/** The kind of an endpoint: one without a URL is a listener. */
export function nameKind({ url }: WebhookEndpoint): string {
  return url === null ? "Listener" : "Endpoint";
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

function buildColumns(visit: Visit, { id, status }: WebhookEndpoint): Column<Delivery>[] {
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
