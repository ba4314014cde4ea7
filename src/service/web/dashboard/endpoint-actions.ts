import type { FastifyInstance } from "fastify";
import type { Recovery, WebhookTest } from "../../../contract/delivery.ts";
import { ServiceError, statusByCode } from "../../../contract/error.ts";
import type { WebhookEndpoint } from "../../../contract/webhook-endpoint.ts";
import { getForm } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { resendEvent } from "../../webhooks/event-log.ts";
import { getEndpoint } from "../../webhooks/find-endpoints.ts";
import {
  deleteEndpoint,
  rollEndpoint,
  testEndpoint,
  updateEndpoint,
} from "../../webhooks/manage-endpoints.ts";
import { recoverEndpoint } from "../../webhooks/recover-endpoint.ts";
import { html } from "../design/html.ts";
import {
  renderBadge,
  renderCopyableId,
  renderFacts,
  renderNotice,
  renderSelect,
} from "./elements.ts";
import {
  findEndpointWithUrl,
  getEndpointAddress,
  linkToEndpoint,
  linkToWebhooks,
  listFacts,
  nameKind,
  renderResponse,
  sendEndpointSecret,
} from "./endpoint-elements.ts";
import {
  createFormKey,
  readRollForm,
  registerConfirmation,
  renderConfirmation,
  renderKeyField,
  renderRollInputs,
  toAddressAfter,
  toIdempotentRequest,
} from "./forms.ts";
import { renderMessage, sendView, type View } from "./frame.ts";
import { accountPath, type Visit, type WithId } from "./visit.ts";

const path = `${accountPath}/webhooks/:id`;

/** The actions on one endpoint or listener, but for its test and its recovery. */
export function registerEndpointActions(app: FastifyInstance, service: Service): void {
  const findWithUrl = async (visit: Visit, id: string) => findEndpointWithUrl(service, visit, id);

  async function update(visit: Visit, id: string, status: "enabled" | "disabled") {
    await updateEndpoint(service, visit.scope, { id, body: { status } }, undefined, visit.actor);
    return toAddressAfter(getEndpointAddress(visit, id), `webhook_endpoint.${status}`, id);
  }

  app.get(`${path}/roll`, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderRoll(visit, await findWithUrl(visit, params.id))),
  );

  app.post(`${path}/roll`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, overlapHours } = readRollForm(request);
    await findWithUrl(visit, params.id);
    const idempotency = await toIdempotentRequest(service, request, key);
    const content = { id: params.id, body: { overlap_hours: overlapHours } };
    const rolled = await rollEndpoint(service, visit.scope, content, idempotency, visit.actor);
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
    find: async ({ scope }, id) => getEndpoint(service, scope, id),
    view: (visit, endpoint) => {
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
    run: async (visit, { id }) => {
      await deleteEndpoint(service, visit.scope, id, visit.actor);
      return toAddressAfter(linkToWebhooks(visit).address, "webhook_endpoint.deleted", id);
    },
  });

  app.post(`${path}/resend`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, event } = getForm(request, ["key", "event"]);
    const content = { id: event, body: { endpoint: params.id } };
    const idempotency = await toIdempotentRequest(service, request, key, { event });
    try {
      await resendEvent(service, visit.scope, content, idempotency, visit.actor);
    } catch (error) {
      // An operator or the service has disabled the endpoint since its page was shown.
      const isDisabled = error instanceof ServiceError && error.param === "endpoint";
      if (!isDisabled || error.code !== "parameter_invalid") throw error;
      const reason = "The endpoint is disabled, so nothing was sent. Enable it first.";
      return sendView(reply, renderNotSent(visit, params.id, reason), 422);
    }
    const address = getEndpointAddress(visit, params.id);
    return reply.redirect(toAddressAfter(address, "event.resent", event), 303);
  });
}

function renderNotSent(visit: Visit, id: string, reason: string): View {
  return { ...renderMessage("Not sent", reason), back: linkToEndpoint(visit, id) };
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

/** The form that sends a test event to an endpoint; it answers with the outcome, which is not stored. */
export function registerTestEndpointPage(app: FastifyInstance, service: Service): void {
  app.get(`${path}/test`, async ({ visit, params }: WithId, reply) => {
    const { id } = await findEndpointWithUrl(service, visit, params.id);
    const text =
      "The outcome of a test event is shown once. Nothing was sent now. To send another test event, go back to the endpoint.";
    const view = renderMessage("Test event", text, {
      ...linkToEndpoint(visit, id),
      text: "Back to the endpoint",
    });
    return sendView(reply, { ...view, section: "webhooks" });
  });

  app.post(`${path}/test`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key } = getForm(request, ["key"]);
    const endpoint = await findEndpointWithUrl(service, visit, params.id);
    const idempotency = await toIdempotentRequest(service, request, key);
    try {
      const { body } = await testEndpoint(
        service,
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
      return sendView(reply, renderNotSent(visit, endpoint.id, reason), 429);
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
  app.get(`${path}/recover`, async ({ visit, params }: WithId, reply) =>
    sendView(reply, renderRecover(visit, await findEndpointWithUrl(service, visit, params.id))),
  );

  app.post(`${path}/recover`, async (request: WithId, reply) => {
    const { visit, params } = request;
    const { key, hours } = getForm(request, ["key", "hours"]);
    if (!periods.some(([each]) => each === hours)) {
      throw new ServiceError("parameter_invalid", "The form offers no such period.", "hours");
    }
    const endpoint = await findEndpointWithUrl(service, visit, params.id);
    const idempotency = await toIdempotentRequest(service, request, key, { hours });
    const since = Math.max(0, Math.floor(service.clock() / 1000) - Number(hours) * 60 * 60);
    const content = { id: endpoint.id, body: { since } };
    try {
      const { body } = await recoverEndpoint(
        service,
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
