import type { FastifyReply } from "fastify";
import { allEventTypes } from "../../../contract/field-values.ts";
import { ServiceError } from "../../../contract/error.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import type { Response } from "../../idempotency/run-idempotently.ts";
import type { Service } from "../../service.ts";
import { type EndpointWithHealth, getEndpoint } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import { renderBadge, renderSince, type Facts, type Link } from "./elements.ts";
import { renderSecret, sendAlreadySubmitted } from "./forms.ts";
import { sendView } from "./frame.ts";
import type { Visit } from "./visit.ts";

export function linkToWebhooks(visit: Visit): Link {
  return { address: visit.addressOf("/webhooks"), text: "All endpoints" };
}

/** Leads back to an endpoint from the pages of its actions and deliveries. */
export function linkToEndpoint(visit: Visit, id: string): Link {
  return { address: getEndpointAddress(visit, id), text: "Endpoint" };
}

export function getEndpointAddress(visit: Visit, id: string): string {
  return visit.addressOf(`/webhooks/${id}`);
}

/** The address of one delivery's page. */
export function getDeliveryAddress(visit: Visit, id: string, deliveryId: string): string {
  return `${getEndpointAddress(visit, id)}/deliveries/${deliveryId}`;
}

/** An endpoint that is no listener: one has neither a URL nor a secret of its own. Errors: resource_missing. */
export async function findEndpointWithUrl(
  service: Service,
  { scope }: Visit,
  id: string,
): Promise<WebhookEndpoint> {
  const endpoint = await getEndpoint(service, scope, id);
  if (endpoint.url === null) {
    throw new ServiceError("resource_missing", "There is no such endpoint.");
  }
  return endpoint;
}

/** The beginning of an endpoint's response, line by line. */
export function renderResponse(response: string | null): Html {
  const lines = (response ?? "").trimEnd().split(/\r?\n/);
  return html`<code class="entire"
    >${lines.map((line, index) => html`${index > 0 && html`<br />`}<bdi>${line}</bdi>`)}</code
  >`;
}

export function listFacts({ url, description }: WebhookEndpoint): Facts {
  return [
    ["URL", url && html`<bdi title="${url}">${url}</bdi>`],
    ["Description", description && html`<bdi title="${description}">${description}</bdi>`],
  ];
}

/** Whether an endpoint gets events; if the service disabled it, why. */
export function renderEndpointStatus({ endpoint }: EndpointWithHealth): Html {
  if (endpoint.status === "disabled") {
    const reason = endpoint.disabled_reason;
    return reason === null
      ? renderBadge("Disabled")
      : html`${renderBadge("Disabled", "wrong")}
          <span class="reason">${disabledReasons[reason] ?? reason}</span>`;
  }
  return endpoint.failing_since === null
    ? renderBadge("Enabled", "good")
    : renderBadge(html`Failing ${renderSince(endpoint.failing_since)}`, "waiting");
}

/** Why the service disabled an endpoint, in words. */
export const disabledReasons: Record<string, string> = {
  gone: "Responded with 410 Gone",
  failing: "No delivery succeeded for days",
};

export function describeEvents({ events }: WebhookEndpoint): string {
  return events.includes(allEventTypes) ? "All events" : events.join(", ");
}

/** Shows a new signing secret, once. */
export function sendEndpointSecret(
  reply: FastifyReply,
  { replayed, body }: Response,
): FastifyReply {
  const { visit } = reply.request;
  const section = "webhooks";
  if (replayed) return sendAlreadySubmitted(reply, section, linkToWebhooks(visit));
  const endpoint = JSON.parse(body) as WebhookEndpoint;
  const view = renderSecret({
    title: "New signing secret",
    section,
    label: "Signing secret",
    secret: endpoint.secret ?? "",
    text: "Store the secret now, where the program that receives the events can read it. It is not shown again. The program needs it to verify that an event comes from this service.",
    facts: listFacts(endpoint),
    back: linkToEndpoint(visit, endpoint.id),
  });
  return sendView(reply, view, 201);
}

/** The kind of an endpoint: one without a URL is a listener. */
export function nameKind({ url }: WebhookEndpoint): string {
  return url === null ? "Listener" : "Endpoint";
}
