import type { FastifyInstance } from "fastify";
import { listDeliveriesQuery, type Delivery } from "../../../contract/delivery.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { getForm } from "../../http/bodies.ts";
import { validate } from "../../http/validate.ts";
import type { Service } from "../../use-cases/service.ts";
import type { WatchedEndpoint } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import {
  readRollForm,
  registerConfirmation,
  renderConfirmation,
  renderRollInputs,
  createFormKey,
  renderKeyField,
  toIdempotentRequest,
} from "./forms.ts";
import {
  describeResponse,
  renderDeliveryBadge,
  renderFacts,
  renderId,
  renderShortId,
  renderTime,
} from "./elements.ts";
import {
  createNumberColumn,
  renderTable,
  createTimeColumn,
  type Column,
} from "./table-elements.ts";
import {
  describeEvents,
  findEndpointWithUrl,
  getDeliveryAddress,
  getEndpointAddress,
  listFacts,
  linkToWebhooks,
  renderEndpointState,
  sendEndpointSecret,
} from "./endpoint-elements.ts";
import { renderMessage, sendView, type View } from "./frame.ts";
import { readListPage, readQuery, renderPageLinks, type ListPage } from "./list-page.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

const limit = 25;
const path = `${accountPath}/webhooks/:id`;

/** One endpoint or listener: its deliveries and its actions. */
export function registerWebhookEndpointPage(app: FastifyInstance, service: Service): void {
  /** Errors: resource_missing. */
  async function find({ scope }: Visit, id: string): Promise<WatchedEndpoint> {
    const found = (await service.watchEndpoints(scope)).find(({ endpoint }) => endpoint.id === id);
    if (!found) throw createMissingError();
    return found;
  }

  const findWithUrl = async (visit: Visit, id: string) => findEndpointWithUrl(service, visit, id);

  async function update(visit: Visit, id: string, status: "enabled" | "disabled") {
    await service.updateEndpoint(visit.scope, { id, body: { status } }, undefined, visit.actor);
    return getEndpointAddress(visit, id);
  }

  app.get(path, async ({ visit, params, url }: WithId, reply) => {
    const watched = await find(visit, params.id);
    const page = await readListPage(readQuery(url), async (cursors) => {
      const query = { ...validate(listDeliveriesQuery, cursors), limit };
      return await service.listDeliveries(visit.scope, params.id, query);
    });
    return sendView(reply, renderWebhook(visit, watched, page));
  });

  app.get(`${path}/roll`, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderRoll(visit, await findWithUrl(visit, params.id))),
  );

  app.post(`${path}/roll`, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const { key, overlapHours } = readRollForm(request);
    await findWithUrl(visit, params.id);
    const idempotency = await toIdempotentRequest(service, visit, { key, path: url, body: {} });
    const content = { id: params.id, body: { overlap_hours: overlapHours } };
    const rolled = await service.rollEndpoint(visit.scope, content, idempotency, visit.actor);
    return sendEndpointSecret(reply, rolled);
  });

  app.post(`${path}/enable`, async (request: WithId, reply) => {
    const { visit, params } = request;
    getForm(request, []);
    const { id } = await findWithUrl(visit, params.id);
    return reply.redirect(await update(visit, id, "enabled"), 303);
  });

  registerConfirmation(app, `${path}/disable`, {
    find: findWithUrl,
    view: (visit, endpoint) => ({
      title: "Disable this endpoint?",
      section: "webhooks",
      facts: listFacts(endpoint),
      text: "Nothing is sent to it until it is enabled again. Pending deliveries fail; they can be resent later, one by one.",
      action: `${getEndpointAddress(visit, endpoint.id)}/disable`,
      button: "Disable endpoint",
      isDangerous: true,
      back: { address: getEndpointAddress(visit, endpoint.id), text: "Back" },
    }),
    run: async (visit, { id }) => update(visit, id, "disabled"),
  });

  registerConfirmation(app, `${path}/delete`, {
    find,
    view: (visit, { endpoint }) => {
      const kind = nameKind(endpoint).toLowerCase();
      return {
        title: `Delete this ${kind}?`,
        section: "webhooks",
        facts: listFacts(endpoint),
        text: `The ${kind} and its deliveries are deleted for good; pending ones are never sent.`,
        action: `${getEndpointAddress(visit, endpoint.id)}/delete`,
        button: `Delete ${kind}`,
        isDangerous: true,
        back: { address: getEndpointAddress(visit, endpoint.id), text: "Back" },
      };
    },
    run: async (visit, { endpoint }) => {
      await service.deleteEndpoint(visit.scope, endpoint.id, visit.actor);
      return linkToWebhooks(visit).address;
    },
  });

  app.post(`${path}/resend`, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const { key, event } = getForm(request, ["key", "event"]);
    const content = { id: event, body: { endpoint: params.id } };
    const fields = { key, path: url, body: { event } };
    const idempotency = await toIdempotentRequest(service, visit, fields);
    try {
      await service.resendEvent(visit.scope, content, idempotency, visit.actor);
    } catch (error) {
      // An operator or the service has disabled the endpoint since its page was shown.
      const isDisabled = error instanceof ServiceError && error.param === "endpoint";
      if (!isDisabled || error.code !== "parameter_invalid") throw error;
      const reason = "The endpoint is disabled, so nothing was sent. Enable it first.";
      return sendView(reply, renderMessage("Not accepted", reason), 422);
    }
    return reply.redirect(getEndpointAddress(visit, params.id), 303);
  });
}

function createMissingError(): ServiceError {
  return new ServiceError("resource_missing", "There is no such endpoint.");
}

export function renderWebhook(
  visit: Visit,
  watched: WatchedEndpoint,
  page: ListPage<Delivery>,
): View {
  const { endpoint } = watched;
  const { id, url } = endpoint;
  const address = getEndpointAddress(visit, id);
  const { address: listAddress, text } = linkToWebhooks(visit);
  return {
    title: nameKind(endpoint),
    section: "webhooks",
    content: html`<section class="sheet" aria-label="Details">
        ${renderFacts([
          ...listFacts(endpoint),
          ["State", url !== null && renderEndpointState(watched)],
          ["Events", describeEvents(endpoint)],
          ["Old secret signs until", renderTime(watched.oldSecretUntil)],
          ["Created", renderTime(endpoint.created)],
          ["Id", renderId(id)],
        ])}
        ${renderActions(address, endpoint)}
      </section>
      <div class="steps whole">
        <h2>Deliveries</h2>
        ${
          page.items.length > 0
            ? html`${renderTable("Deliveries", buildColumns(visit, endpoint), page.items)}
              ${renderPageLinks("More deliveries", page, address)}`
            : html`<p class="quiet-text">
                None yet, or none is stored any more: events are deleted after a while.
              </p>`
        }
      </div>
      <p><a href="${listAddress}">${text}</a></p>`,
  };
}

function renderRoll(visit: Visit, endpoint: WebhookEndpoint): View {
  return renderConfirmation({
    title: "Roll this endpoint's secret?",
    section: "webhooks",
    facts: listFacts(endpoint),
    text: "You get a new secret, shown once. Events are signed with both secrets for as long as you choose here, so that you can replace the old one.",
    action: `${getEndpointAddress(visit, endpoint.id)}/roll`,
    inputs: renderRollInputs("The old secret also signs"),
    button: "Roll secret",
    back: { address: getEndpointAddress(visit, endpoint.id), text: "Back" },
  });
}

function nameKind({ url }: WebhookEndpoint): string {
  return url === null ? "Listener" : "Endpoint";
}

function renderActions(address: string, { url, status }: WebhookEndpoint): Html {
  const link = (action: string, text: string) =>
    html`<a class="secondary" href="${address}/${action}">${text}</a>`;
  const enable = html`<form method="post" action="${address}/enable">
    <button class="secondary">Enable</button>
  </form>`;
  const test = html`<form method="post" action="${address}/test">
    ${renderKeyField(createFormKey())}<button class="secondary">Send a test</button>
  </form>`;
  return html`<div class="row">
    ${url !== null && test} ${url !== null && status === "enabled" && link("recover", "Recover…")}
    ${url !== null && link("roll", "Roll secret…")}
    ${url !== null && (status === "enabled" ? link("disable", "Disable…") : enable)}
    ${link("delete", "Delete…")}
  </div>`;
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
    { title: "Delivery", cell: renderDeliveryBadge },
    {
      title: "Answer",
      isText: true,
      cell: (delivery) => html`<span class="wraps">${describeResponse(delivery)}</span>`,
    },
    createNumberColumn("Attempts", ({ attempts }) => attempts),
    createTimeColumn("Next attempt", ({ next_attempt_at: next }) => next, null, { from: "medium" }),
    createTimeColumn("Created", ({ created }) => created),
    { title: "Event's id", from: "wide", cell: ({ event }) => renderShortId(event) },
    ...(status === "enabled" ? [resend] : []),
  ];
}
