import type { FastifyInstance } from "fastify";
import { eventTypes } from "../../../contract/field-values.ts";
import { ServiceError } from "../../../contract/error.ts";
import {
  createEndpointBody,
  type CreateEndpointBody,
  type WebhookEndpoint,
} from "../../../contract/webhook-endpoint.ts";
import { getForm } from "../read-request.ts";
import type { Service } from "../../service.ts";
import { type EndpointWithHealth, listEndpointsWithHealth } from "../../webhooks/find-endpoints.ts";
import { createEndpoint } from "../../webhooks/manage-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import { renderCommand, renderEmpty, renderField, renderText, withoutSecrets } from "./elements.ts";
import {
  describeEvents,
  getEndpointAddress,
  renderEndpointStatus,
  sendEndpointSecret,
} from "./endpoint-elements.ts";
import { addDoneNotice, createFormKey, renderKeyField, toIdempotentRequest } from "./forms.ts";
import { sendView, type View } from "./frame.ts";
import { createTextColumn, createTimeColumn, renderTable, type Column } from "./list-elements.ts";
import { accountPath, type Visit } from "./visit.ts";

const path = `${accountPath}/webhooks`;

const fields = ["key", "url", "description", ...eventTypes] as const;
/** The form of a new endpoint; the checkbox of an event type is checked if its field is not empty. */
type EndpointForm = Record<(typeof fields)[number], string>;
type EndpointMistakes = { url?: string; description?: string };

/** The endpoints of an account and mode, and the form for another one. */
export function registerWebhooksPage(app: FastifyInstance, service: Service): void {
  const view = async (visit: Visit, form: EndpointForm, mistakes?: EndpointMistakes) =>
    renderWebhooks(visit, await listEndpointsWithHealth(service, visit.scope), form, mistakes);

  app.get(path, async (request, reply) => {
    const shown = await view(request.visit, createEndpointForm(createFormKey()));
    return sendView(reply, await addDoneNotice(service, request, shown));
  });

  app.post(path, async (request, reply) => {
    const { visit } = request;
    const form = getForm(request, fields);
    const parsed = parseForm(form);
    if ("mistakes" in parsed) return sendView(reply, await view(visit, form, parsed.mistakes), 422);
    const idempotency = await toIdempotentRequest(service, request, form.key);
    try {
      const made = await createEndpoint(
        service,
        visit.scope,
        parsed.body,
        idempotency,
        visit.actor,
      );
      return sendEndpointSecret(reply, made);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.param !== "url") throw error;
      // The API's message begins with the field's name in the API.
      const mistakes = { url: error.message.replace(/^url /, "The URL ") };
      return sendView(reply, await view(visit, form, mistakes), 422);
    }
  });
}

export function createEndpointForm(key: string): EndpointForm {
  const blank = Object.fromEntries(fields.map((name) => [name, ""]));
  return { ...(blank as EndpointForm), key };
}

/** A form as a request of the API, or its mistakes. */
function parseForm(
  form: EndpointForm,
): { body: CreateEndpointBody } | { mistakes: EndpointMistakes } {
  const types = eventTypes.filter((type) => form[type] !== "");
  const parsed = createEndpointBody.safeParse({
    url: form.url.trim(),
    description: form.description.trim() || null,
    ...(types.length > 0 && { events: types }),
  });
  if (parsed.success) return { body: parsed.data };
  const issues = parsed.error.issues.toReversed(); // so that the first one of a field remains
  const mistakes = issues.map(({ path: [name], message }) => [
    name,
    `The ${name === "url" ? "URL" : String(name)} ${message}.`,
  ]);
  return { mistakes: Object.fromEntries(mistakes) as EndpointMistakes };
}

export function renderWebhooks(
  visit: Visit,
  all: readonly EndpointWithHealth[],
  form: EndpointForm,
  mistakes: EndpointMistakes = {},
): View {
  const endpoints = all.filter(({ endpoint }) => endpoint.url !== null);
  const listeners = all.filter(({ endpoint }) => endpoint.url === null);
  return {
    title: "Webhooks",
    section: "webhooks",
    content: html`${
      endpoints.length > 0
        ? renderTable("Webhook endpoints", buildEndpointColumns(visit), endpoints)
        : renderEmpty(
            `No ${visit.mode} endpoints yet`,
            html`<p class="prose">
                An endpoint receives a signed POST request when a payment is pending, succeeds,
                fails or is refunded. Create one below, or with this command and the URL of your
                program:
              </p>
              ${renderCommand(`payments webhooks create --url https://shop.example/hooks --mode ${visit.mode} --base-url ${visit.apiUrl}`)}`,
          )
    }
    ${
      listeners.length > 0 &&
      html`<div class="steps whole">
        <h2>Listeners</h2>
        <p class="quiet-text">
          Created by <code>payments listen</code>, which forwards events to a program on a
          developer's computer.
        </p>
        ${renderTable("Listeners", buildListenerColumns(visit), listeners)}
      </div>`
    }
    ${renderForm(visit, form, mistakes)}`,
  };
}

function createNameColumn(
  visit: Visit,
  title: string,
  name: (endpoint: WebhookEndpoint) => string | null,
): Column<EndpointWithHealth> {
  return {
    title,
    isText: true,
    cell: ({ endpoint }) =>
      html`<a href="${getEndpointAddress(visit, endpoint.id)}"
        >${renderText(name(endpoint) ?? "")}</a
      >`,
  };
}

function buildEndpointColumns(visit: Visit): Column<EndpointWithHealth>[] {
  return [
    {
      ...createNameColumn(visit, "URL", ({ url }) => url),
      beneath: createTextColumn("Description", ({ endpoint }) => endpoint.description),
    },
    { title: "Status", cell: renderEndpointStatus },
    createTimeColumn("Last success", ({ endpoint }) => endpoint.last_success_at, { none: "None" }),
    { title: "Events", cell: renderEvents },
  ];
}

function buildListenerColumns(visit: Visit): Column<EndpointWithHealth>[] {
  return [
    createNameColumn(visit, "Listener", ({ description, id }) => description ?? id),
    { title: "Events", isText: true, cell: renderEvents },
    createTimeColumn("Created", ({ endpoint }) => endpoint.created),
  ];
}

/** All event types, the only one, or how many, which the endpoint's page lists. */
function renderEvents({ endpoint }: EndpointWithHealth): Html {
  const names = describeEvents(endpoint);
  const { length } = endpoint.events;
  return length > 1 ? html`<span title="${names}">${length} events</span>` : html`${names}`;
}

function renderForm(visit: Visit, form: EndpointForm, mistakes: EndpointMistakes): Html {
  return html`<section class="sheet" aria-labelledby="create">
    <h2 id="create">New ${visit.mode} endpoint</h2>
    <form method="post" action="${visit.addressOf("/webhooks")}" class="steps">
      ${renderKeyField(form.key)}
      ${renderField({
        name: "url",
        label: "URL",
        hint: "Events are sent here by POST, for example https://shop.example/hooks.",
        mistake: mistakes.url,
        input: html`type="text" inputmode="url" required autocomplete="off" spellcheck="false"
        value="${withoutSecrets(form.url)}"`,
      })}
      <fieldset>
        <legend>Events <span class="optional">(optional)</span></legend>
        <p class="hint">Leave all unchecked to receive every event, including new types.</p>
        ${eventTypes.map(
          (type) =>
            html`<label class="choice"
              ><input type="checkbox" name="${type}" ${form[type] !== "" && html` checked`} />
              <span class="mono">${type}</span></label
            >`,
        )}
      </fieldset>
      ${renderField({
        name: "description",
        label: html`Description <span class="optional">(optional)</span>`,
        mistake: mistakes.description,
        input: html`autocomplete="off" value="${withoutSecrets(form.description)}"`,
      })}
      <button class="primary">Create endpoint</button>
    </form>
  </section>`;
}
