import type { FastifyInstance } from "fastify";
import { listDeliveriesQuery } from "../../../contract/delivery.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { getForm } from "../../input/forms.ts";
import { validate } from "../../input/validate.ts";
import type { Service } from "../../use-cases/service.ts";
import type { EndpointWithHealth } from "../../webhooks/find-endpoints.ts";
import {
  readRollForm,
  registerConfirmation,
  renderConfirmation,
  renderRollInputs,
  toIdempotentRequest,
} from "./forms.ts";
import { nameKind, renderWebhook } from "./endpoint-details.ts";
import {
  findEndpointWithUrl,
  getEndpointAddress,
  linkToEndpoint,
  linkToWebhooks,
  listFacts,
  sendEndpointSecret,
} from "./endpoint-elements.ts";
import { addDoneNotice, toAddressAfter } from "./done-notice.ts";
import { renderMessage, sendView, type View } from "./frame.ts";
import { readListPage, readQuery } from "./list-page.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

/** Fewer than on other lists, since each has a form: a page with its style stays below 60 KiB. */
export const deliveriesLimit = 20;
const path = `${accountPath}/webhooks/:id`;

/** One endpoint or listener: its deliveries and its actions. */
export function registerWebhookEndpointPage(app: FastifyInstance, service: Service): void {
  /** Errors: resource_missing. */
  async function find({ scope }: Visit, id: string): Promise<EndpointWithHealth> {
    const found = (await service.listEndpointsWithHealth(scope)).find(
      ({ endpoint }) => endpoint.id === id,
    );
    if (!found) throw createMissingError();
    return found;
  }

  const findWithUrl = async (visit: Visit, id: string) => findEndpointWithUrl(service, visit, id);

  async function update(visit: Visit, id: string, status: "enabled" | "disabled") {
    await service.updateEndpoint(visit.scope, { id, body: { status } }, undefined, visit.actor);
    return toAddressAfter(getEndpointAddress(visit, id), `webhook_endpoint.${status}`, id);
  }

  app.get(path, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const found = await find(visit, params.id);
    const page = await readListPage(readQuery(url), async (cursors) => {
      const query = { ...validate(listDeliveriesQuery, cursors), limit: deliveriesLimit };
      return await service.listDeliveries(visit.scope, params.id, query);
    });
    const view = renderWebhook(visit, found, page);
    return sendView(reply, await addDoneNotice(service, request, view));
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
      text: "Nothing is sent to the endpoint until it is enabled again. Its pending deliveries fail. “Resend missed events” sends them later.",
      action: `${getEndpointAddress(visit, endpoint.id)}/disable`,
      button: "Disable endpoint",
      isDangerous: true,
      back: linkToEndpoint(visit, endpoint.id),
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
        text: `The ${kind} and its deliveries are deleted, and pending ones are never sent. This cannot be undone.`,
        action: `${getEndpointAddress(visit, endpoint.id)}/delete`,
        button: `Delete ${kind}`,
        isDangerous: true,
        back: linkToEndpoint(visit, endpoint.id),
      };
    },
    run: async (visit, { endpoint }) => {
      await service.deleteEndpoint(visit.scope, endpoint.id, visit.actor);
      const { address } = linkToWebhooks(visit);
      return toAddressAfter(address, "webhook_endpoint.deleted", endpoint.id);
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
      const back = linkToEndpoint(visit, params.id);
      return sendView(reply, { ...renderMessage("Not sent", reason), back }, 422);
    }
    const address = getEndpointAddress(visit, params.id);
    return reply.redirect(toAddressAfter(address, "event.resent", event), 303);
  });
}

function createMissingError(): ServiceError {
  return new ServiceError("resource_missing", "There is no such endpoint.");
}

function renderRoll(visit: Visit, endpoint: WebhookEndpoint): View {
  return renderConfirmation({
    title: "Roll this endpoint's secret?",
    section: "webhooks",
    facts: listFacts(endpoint),
    text: "You get a new secret, shown once. Events are signed with both secrets until the old one expires, so that you can replace it first.",
    action: `${getEndpointAddress(visit, endpoint.id)}/roll`,
    inputs: renderRollInputs("The old secret expires"),
    button: "Roll secret",
    back: linkToEndpoint(visit, endpoint.id),
  });
}
