import { eventTypes, allEventTypes } from "../../../../contract/event-values.ts";
import type { WebhookEndpoint } from "../../../../contract/webhook-endpoint.ts";
import type { WatchedEndpoint } from "../../../webhooks/find-endpoints.ts";
import { renderKeyField } from "../idempotent-forms.ts";
import type { EndpointForm, EndpointMistakes } from "../endpoint-form.ts";
import { html, type Html } from "../html.ts";
import type { Visit } from "../visit.ts";
import {
  renderBadge,
  renderEmpty,
  renderField,
  renderTable,
  renderTime,
  type Column,
} from "./elements.ts";
import type { View } from "./frame.ts";

/** The endpoints and listeners of an account and mode, and the form for another endpoint. */
export function renderWebhooks(
  visit: Visit,
  watched: readonly WatchedEndpoint[],
  { form, mistakes = {} }: { form: EndpointForm; mistakes?: EndpointMistakes },
): View {
  const endpoints = watched.filter(({ endpoint }) => endpoint.url !== null);
  const listeners = watched.filter(({ endpoint }) => endpoint.url === null);
  return {
    title: "Webhooks",
    place: "webhooks",
    content: html`${
      endpoints.length > 0
        ? renderTable("Webhook endpoints", endpointColumns(visit), endpoints)
        : nothing(visit)
    }
    ${
      listeners.length > 0 &&
      html`<div class="steps whole">
        <h2>Listeners</h2>
        <p class="quiet-text">
          Made by <code>payments listen</code>, which takes events to a program on somebody's own
          machine.
        </p>
        ${renderTable("Listeners", listenerColumns(visit), listeners)}
      </div>`
    }
    ${createForm(visit, form, mistakes)}`,
  };
}

/** Whether an endpoint is sent anything; if not by its owner's wish, why not. */
export function describeEndpointState({ endpoint, failingSince }: WatchedEndpoint): Html {
  if (endpoint.status === "disabled") {
    const why = endpoint.disabled_reason;
    return why === null
      ? renderBadge("disabled")
      : html`${renderBadge("disabled", "wrong")} ${disabledReasons[why] ?? why}`;
  }
  return failingSince === null
    ? renderBadge("enabled", "good")
    : html`${renderBadge("failing", "waiting")} since ${renderTime(failingSince)}`;
}

const disabledReasons: Record<string, string> = {
  gone: "It answered that it is gone (410).",
  failing: "Nothing reached it for days.",
};

export function describeEvents({ events }: WebhookEndpoint): string {
  return events.includes(allEventTypes) ? "all" : events.join(", ");
}

function endpointColumns(visit: Visit): Column<WatchedEndpoint>[] {
  return [
    {
      title: "Address",
      cell: ({ endpoint: { id, url } }) =>
        html`<a href="${visit.addressOf(`/webhooks/${id}`)}"
          ><bdi class="text wide">${url}</bdi></a
        >`,
    },
    { title: "State", cell: describeEndpointState },
    {
      title: "Events",
      cell: ({ endpoint }) => html`<span class="wraps">${describeEvents(endpoint)}</span>`,
    },
    {
      title: "Description",
      cell: ({ endpoint }) => html`<bdi class="text">${endpoint.description}</bdi>`,
    },
  ];
}

function listenerColumns(visit: Visit): Column<WatchedEndpoint>[] {
  return [
    {
      title: "Listener",
      cell: ({ endpoint: { id, description } }) =>
        html`<a href="${visit.addressOf(`/webhooks/${id}`)}"
          ><bdi class="text wide">${description ?? id}</bdi></a
        >`,
    },
    { title: "Events", cell: ({ endpoint }) => describeEvents(endpoint) },
    { title: "Created", cell: ({ endpoint }) => renderTime(endpoint.created) },
  ];
}

function createForm(visit: Visit, form: EndpointForm, mistakes: EndpointMistakes): Html {
  return html`<section class="sheet" aria-labelledby="create">
    <h2 id="create">New ${visit.mode} endpoint</h2>
    <form method="post" action="${visit.addressOf("/webhooks")}" class="steps">
      ${renderKeyField(form.key)}
      ${renderField({
        name: "url",
        label: "Address",
        hint: "Where events are sent by POST, such as https://shop.example/hooks.",
        mistake: mistakes.url,
        input: html`type="text" inputmode="url" required autocomplete="off" spellcheck="false"
        value="${form.url}"`,
      })}
      <fieldset>
        <legend>Events</legend>
        <p class="hint">None chosen: all of them, also those to come.</p>
        ${eventTypes.map(
          (type) =>
            html`<label class="choice"
              ><input type="checkbox" name="${type}" ${form[type] !== "" && html` checked`} />
              ${type}</label
            >`,
        )}
      </fieldset>
      ${renderField({
        name: "description",
        label: html`Description <span class="optional">(optional)</span>`,
        mistake: mistakes.description,
        input: html`autocomplete="off" value="${form.description}"`,
      })}
      <button class="primary">Create endpoint</button>
    </form>
  </section>`;
}

function nothing({ mode }: Visit): Html {
  return renderEmpty(
    `No ${mode} endpoints yet`,
    html`<p class="prose">
      An endpoint is told by a signed POST when a payment comes to be pending, succeeded, failed or
      refunded.
    </p>`,
  );
}
