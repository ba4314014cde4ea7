import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { listDeliveriesQuery, type Delivery } from "../../../../contract/delivery.ts";
import type { WebhookEndpoint } from "../../../../contract/webhook-endpoint.ts";
import { getForm } from "../../../http/form-body.ts";
import { validate } from "../../../http/validate.ts";
import type { Response } from "../../../idempotency/run-idempotently.ts";
import { ServiceError } from "../../../domain/service-error.ts";
import type { Service } from "../../../use-cases/service.ts";
import type { WatchedEndpoint } from "../../../webhooks/find-endpoints.ts";
import { createFormKey, toIdempotentRequest } from "../idempotent-forms.ts";
import {
  endpointFormFields,
  createEndpointForm,
  readEndpointForm,
  describeRefusal,
  type EndpointForm,
  type EndpointMistakes,
} from "../endpoint-form.ts";
import { readCursors, findPageLinks, readQuery } from "../list-page.ts";
import { parseOverlap } from "../overlap.ts";
import { accountPath } from "../navigation.ts";
import { sendView } from "../send-view.ts";
import { renderRefused } from "../views/failure-view.ts";
import { renderSentBefore } from "../views/shown-once-view.ts";
import {
  renderEndpointsLink,
  renderDeleteEndpoint,
  renderDisableEndpoint,
  renderEndpointSecret,
  renderRollEndpoint,
  renderWebhook,
} from "../views/webhook-view.ts";
import { renderWebhooks } from "../views/webhooks-view.ts";
import type { Visit } from "../visit.ts";

const pageSize = 25;
const path = `${accountPath}/webhooks`;
type WithId = FastifyRequest<{ Params: { id: string } }>;

/** The endpoints of an account and mode: their list, and the form for another one. */
export function registerWebhooksRoutes(app: FastifyInstance, service: Service): void {
  const list = async (visit: Visit, form: EndpointForm, mistakes?: EndpointMistakes) =>
    renderWebhooks(visit, await service.watchEndpoints(visit.scope), {
      form,
      ...(mistakes && { mistakes }),
    });

  app.get(path, async ({ visit }, reply) =>
    sendView(reply, await list(visit, createEndpointForm(createFormKey()))),
  );

  app.post(path, async (request, reply) => {
    const { visit, url } = request;
    const form = getForm(request, endpointFormFields);
    const read = readEndpointForm(form);
    if ("mistakes" in read) return sendView(reply, await list(visit, form, read.mistakes), 422);
    const once = await toIdempotentRequest(service, visit, { key: form.key, path: url, body: {} });
    try {
      const answer = await service.createEndpoint(visit.scope, read.body, once, visit.actor);
      return sendSecret(reply, visit, answer);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.param !== "url") throw error;
      const mistakes = { url: describeRefusal(error.message) };
      return sendView(reply, await list(visit, form, mistakes), 422);
    }
  });
}

/** One endpoint or listener: its deliveries, and what can be done with it. */
export function registerWebhookRoutes(app: FastifyInstance, service: Service): void {
  const one = `${path}/:id`;

  app.get(one, async ({ visit, params, url }: WithId, reply) => {
    const watched = await find(service, visit, params.id);
    const query = readQuery(url);
    const cursors = validate(listDeliveriesQuery, readCursors(query));
    const listed = await service.listDeliveries(visit.scope, params.id, {
      ...cursors,
      limit: pageSize,
    });
    const deliveries: readonly Delivery[] = listed.items;
    const shown = { deliveries, ...findPageLinks(query, listed.hasMore) };
    return sendView(reply, renderWebhook(visit, watched, shown));
  });

  app.get(`${one}/roll`, async ({ visit, params }: WithId, reply) => {
    const { endpoint } = await findWithAddress(service, visit, params.id);
    return sendView(reply, renderRollEndpoint(visit, endpoint, createFormKey()));
  });

  app.post(`${one}/roll`, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const { key, overlap } = getForm(request, ["key", "overlap"]);
    const asked = { id: params.id, body: { overlap_hours: parseOverlap(overlap) } };
    await findWithAddress(service, visit, params.id);
    const once = await toIdempotentRequest(service, visit, { key, path: url, body: {} });
    const answer = await service.rollEndpoint(visit.scope, asked, once, visit.actor);
    return sendSecret(reply, visit, answer);
  });

  app.get(`${one}/disable`, async ({ visit, params }: WithId, reply) => {
    const { endpoint } = await findWithAddress(service, visit, params.id);
    return sendView(reply, renderDisableEndpoint(visit, endpoint));
  });

  for (const [verb, status] of [
    ["enable", "enabled"],
    ["disable", "disabled"],
  ] as const) {
    app.post(`${one}/${verb}`, async (request: WithId, reply) => {
      const { visit, params } = request;
      getForm(request, []);
      const { endpoint } = await findWithAddress(service, visit, params.id);
      const asked = { id: endpoint.id, body: { status } };
      await service.updateEndpoint(visit.scope, asked, undefined, visit.actor);
      return reply.redirect(visit.addressOf(`/webhooks/${endpoint.id}`), 303);
    });
  }

  app.get(`${one}/delete`, async ({ visit, params }: WithId, reply) => {
    const { endpoint } = await find(service, visit, params.id);
    return sendView(reply, renderDeleteEndpoint(visit, endpoint));
  });

  app.post(`${one}/delete`, async (request: WithId, reply) => {
    const { visit, params } = request;
    getForm(request, []);
    await service.deleteEndpoint(visit.scope, params.id, visit.actor);
    return reply.redirect(renderEndpointsLink(visit).address, 303);
  });

  app.post(`${one}/resend`, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const { key, event } = getForm(request, ["key", "event"]);
    const asked = { id: event, body: { endpoint: params.id } };
    const once = await toIdempotentRequest(service, visit, { key, path: url, body: { event } });
    try {
      await service.resendEvent(visit.scope, asked, once, visit.actor);
    } catch (error) {
      if (!isOfDisabled(error)) throw error;
      const reason = "The endpoint is disabled, so nothing was sent. Enable it first.";
      return sendView(reply, renderRefused(reason), 422);
    }
    return reply.redirect(visit.addressOf(`/webhooks/${params.id}`), 303);
  });
}

/** The endpoint has been disabled since its page was shown, by somebody or by what it answered. */
function isOfDisabled(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return error.code === "parameter_invalid" && error.param === "endpoint";
}

/** Shows the secret that was made, unless that was done before. */
function sendSecret(reply: FastifyReply, visit: Visit, { replayed, body }: Response): FastifyReply {
  if (replayed) {
    const view = renderSentBefore({ place: "webhooks", back: renderEndpointsLink(visit) });
    return sendView(reply, view, 409);
  }
  const endpoint = JSON.parse(body) as WebhookEndpoint;
  return sendView(reply, renderEndpointSecret(visit, endpoint), 201);
}

/** Errors: resource_missing. */
async function find(service: Service, { scope }: Visit, id: string): Promise<WatchedEndpoint> {
  const watched = await service.watchEndpoints(scope);
  const found = watched.find(({ endpoint }) => endpoint.id === id);
  if (!found) throw new ServiceError("resource_missing", "There is no such endpoint.");
  return found;
}

/** The same of endpoints alone, without listeners. */
async function findWithAddress(
  service: Service,
  visit: Visit,
  id: string,
): Promise<WatchedEndpoint> {
  const found = await find(service, visit, id);
  if (found.endpoint.url === null) {
    throw new ServiceError("resource_missing", "There is no such endpoint.");
  }
  return found;
}
