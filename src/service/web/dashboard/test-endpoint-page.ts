import type { FastifyInstance } from "fastify";
import type { WebhookEndpoint, WebhookTest } from "../../../contract/webhook-endpoint.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { statusByCode } from "../../../contract/error.ts";
import { getForm } from "../../input/forms.ts";
import type { Service } from "../../use-cases/service.ts";
import { html } from "../design/html.ts";
import { renderBadge, renderCopyableId, renderFacts, renderNotice } from "./elements.ts";
import {
  findEndpointWithUrl,
  getEndpointAddress,
  linkToEndpoint,
  listFacts,
  renderResponse,
} from "./endpoint-elements.ts";
import { createFormKey, renderKeyField, toIdempotentRequest } from "./forms.ts";
import { renderMessage, sendView, type View } from "./frame.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

const path = `${accountPath}/webhooks/:id/test`;

/** The form that sends a test event to an endpoint; it answers with the outcome, which is not stored. */
export function registerTestEndpointPage(app: FastifyInstance, service: Service): void {
  app.get(path, async ({ visit, params }: WithId, reply) => {
    const { id } = await findEndpointWithUrl(service, visit, params.id);
    const text =
      "The outcome of a test event is shown once. Nothing was sent now. To send another test event, go back to the endpoint.";
    const view = renderMessage("Test event", text, {
      ...linkToEndpoint(visit, id),
      text: "Back to the endpoint",
    });
    return sendView(reply, { ...view, section: "webhooks" });
  });

  app.post(path, async (request: WithId, reply) => {
    const { visit, params, url } = request;
    const { key } = getForm(request, ["key"]);
    const endpoint = await findEndpointWithUrl(service, visit, params.id);
    const idempotency = await toIdempotentRequest(service, visit, { key, path: url, body: {} });
    try {
      const { body } = await service.testEndpoint(
        visit.scope,
        endpoint.id,
        idempotency,
        visit.actor,
      );
      return sendView(reply, renderTest(visit, endpoint, JSON.parse(body) as WebhookTest));
    } catch (error) {
      const isBusy = error instanceof ServiceError && statusByCode[error.code] === 429;
      if (!isBusy) throw error;
      const reason =
        "Too many endpoints are being tested. Nothing was sent; try again in a moment.";
      const back = linkToEndpoint(visit, endpoint.id);
      return sendView(reply, { ...renderMessage("Not sent", reason), back }, 429);
    }
  });
}

export function renderTest(visit: Visit, endpoint: WebhookEndpoint, test: WebhookTest): View {
  const { event, status, duration_ms: durationMs, error, answer } = test;
  const isAccepted = status !== null && status >= 200 && status < 300;
  return {
    title: "Test event",
    section: "webhooks",
    back: linkToEndpoint(visit, endpoint.id),
    isNarrow: true,
    actions: html`<form method="post" action="${getEndpointAddress(visit, endpoint.id)}/test">
      ${renderKeyField(createFormKey())}
      <button class="secondary">Send again</button>
    </form>`,
    content: html`${
        isAccepted
          ? renderNotice(
              "good",
              `The endpoint accepted the test event: it responded with ${status}.`,
            )
          : renderNotice(
              "wrong",
              status === null
                ? html`The endpoint did not respond: <bdi>${error}</bdi>`
                : `The endpoint did not accept the test event: it responded with ${status}.`,
            )
      }
      <div class="sheet">
        ${renderFacts([
          ...listFacts(endpoint),
          [
            "Status",
            renderBadge(
              status === null ? "No response" : String(status),
              isAccepted ? "good" : "wrong",
            ),
          ],
          ["Duration", `${durationMs} ms`],
          ["Response", answer !== null && answer !== "" && renderResponse(answer)],
          ["Event", renderCopyableId(event)],
        ])}
      </div>`,
  };
}
