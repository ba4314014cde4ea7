import type { FastifyInstance } from "fastify";
import type { Recovery, WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { getForm } from "../../input/forms.ts";
import type { Service } from "../../use-cases/service.ts";
import { html } from "../design/html.ts";
import { renderSelect } from "./labeled-fields.ts";
import { renderNotice } from "./elements.ts";
import {
  findEndpointWithUrl,
  getEndpointAddress,
  linkToEndpoint,
  listFacts,
} from "./endpoint-elements.ts";
import { createFormKey, renderConfirmation, renderKeyField, toIdempotentRequest } from "./forms.ts";
import { sendView, type View } from "./frame.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

const path = `${accountPath}/webhooks/:id/recover`;

/** Since when, in hours. */
const periods = [
  ["1", "The last hour"],
  ["24", "The last 24 hours"],
  ["72", "The last 3 days"],
  ["168", "The last 7 days"],
  ["720", "The last 30 days"],
] as const;
const defaultPeriod = "24";

/** The form that queues what an endpoint missed; it asks since when. */
export function registerRecoverEndpointPage(app: FastifyInstance, service: Service): void {
  app.get(path, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderRecover(visit, await findEndpointWithUrl(service, visit, params.id))),
  );

  app.post(path, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const { key, hours } = getForm(request, ["key", "hours"]);
    if (!periods.some(([each]) => each === hours)) {
      throw new ServiceError("parameter_invalid", "The form offers no such period.", "hours");
    }
    const endpoint = await findEndpointWithUrl(service, visit, params.id);
    const fields = { key, path: url, body: { hours } };
    const idempotency = await toIdempotentRequest(service, visit, fields);
    const since = Math.max(0, Math.floor(service.now() / 1000) - Number(hours) * 60 * 60);
    const content = { id: endpoint.id, body: { since } };
    try {
      const { body } = await service.recoverEndpoint(
        visit.scope,
        content,
        idempotency,
        visit.actor,
      );
      return sendView(reply, renderRecovery(visit, endpoint, JSON.parse(body) as Recovery));
    } catch (error) {
      // An operator or the service has disabled the endpoint since its page was shown.
      if (!(error instanceof ServiceError) || error.code !== "parameter_invalid") throw error;
      const problem = "The endpoint is disabled, so nothing was queued. Enable it first.";
      return sendView(reply, renderRecover(visit, endpoint, problem), 422);
    }
  });
}

export function renderRecover(visit: Visit, endpoint: WebhookEndpoint, problem?: string): View {
  return renderConfirmation({
    title: "Resend missed events?",
    section: "webhooks",
    problem,
    facts: listFacts(endpoint),
    text: "Sends, in order, the events whose deliveries failed and those that occurred while the endpoint was disabled. Delivered and pending events are not sent again.",
    action: `${getEndpointAddress(visit, endpoint.id)}/recover`,
    inputs: html`${renderKeyField(createFormKey())}
    ${renderSelect({ name: "hours", label: "Time range", options: periods, selected: defaultPeriod })}`,
    button: "Resend missed events",
    back: linkToEndpoint(visit, endpoint.id),
  });
}

function renderRecovery(visit: Visit, endpoint: WebhookEndpoint, recovery: Recovery): View {
  const { queued, has_more: hasMore } = recovery;
  const back = linkToEndpoint(visit, endpoint.id);
  const events = queued === 1 ? "1 event was queued" : `${queued} events were queued`;
  return {
    title: "Missed events",
    section: "webhooks",
    back,
    isNarrow: true,
    content: html`${renderNotice("good", queued === 0 ? "The endpoint has missed no events." : `${events}, and will be sent in order.`)}
    ${hasMore && html`<p class="prose">There are more: <a href="${back.address}/recover">resend more missed events</a>.</p>`}`,
  };
}
