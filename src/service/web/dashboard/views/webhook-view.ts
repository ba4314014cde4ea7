import type { Delivery } from "../../../../contract/delivery.ts";
import type { WebhookEndpoint } from "../../../../contract/webhook-endpoint.ts";
import type { WatchedEndpoint } from "../../../webhooks/find-endpoints.ts";
import { renderKeyField, createFormKey } from "../idempotent-forms.ts";
import { html, type Html } from "../html.ts";
import type { PageLinks } from "../list-page.ts";
import { overlaps, defaultOverlap } from "../overlap.ts";
import type { Visit } from "../visit.ts";
import { renderConfirmation } from "./asking-view.ts";
import { describeResponse, renderDeliveryBadge } from "./delivery-view.ts";
import {
  renderFacts,
  renderId,
  renderPageLinks,
  renderSelect,
  renderTable,
  renderTime,
  wholeIdHtml,
} from "./elements.ts";
import type { Column } from "./elements.ts";
import type { View } from "./frame.ts";
import { renderShownOnce } from "./shown-once-view.ts";
import { describeEndpointState, describeEvents } from "./webhooks-view.ts";

type Deliveries = PageLinks & {
  /** Newest first. */
  deliveries: readonly Delivery[];
};

/** An endpoint or listener, what can be done with it, and its deliveries. */
export function renderWebhook(visit: Visit, watched: WatchedEndpoint, listed: Deliveries): View {
  const { endpoint } = watched;
  const address = addressOf(visit, endpoint);
  const { deliveries, hasNewer, hasOlder } = listed;
  return {
    title: kindOf(endpoint),
    place: "webhooks",
    content: html`<section class="sheet" aria-label="Details">
        ${renderFacts([
          ...factsOf(endpoint),
          ["State", endpoint.url !== null && describeEndpointState(watched)],
          ["Events", describeEvents(endpoint)],
          ["Old secret signs until", renderTime(watched.oldSecretUntil)],
          ["Created", renderTime(endpoint.created)],
          ["Id", wholeIdHtml(endpoint.id)],
        ])}
        ${actions(visit, endpoint)}
      </section>
      <div class="steps whole">
        <h2>Deliveries</h2>
        ${
          deliveries.length > 0
            ? html`${renderTable("Deliveries", columnsFor(visit, endpoint), deliveries)}
              ${renderPageLinks({ name: "More deliveries", address, items: deliveries, hasNewer, hasOlder })}`
            : html`<p class="quiet-text">
                None yet, or none that is kept: events are forgotten after a while.
              </p>`
        }
      </div>
      <p>
        <a href="${renderEndpointsLink(visit).address}">${renderEndpointsLink(visit).text}</a>
      </p>`,
  };
}

/** The signing secret of an endpoint, this once. */
export function renderEndpointSecret(visit: Visit, endpoint: WebhookEndpoint): View {
  return renderShownOnce({
    title: "Signing secret",
    place: "webhooks",
    label: "The secret",
    secret: endpoint.secret ?? "",
    says: "Keep it now, where the program behind the address can read it: it is not shown again. With it the program knows that an event is from here.",
    facts: factsOf(endpoint),
    back: { address: addressOf(visit, endpoint), text: "The endpoint" },
  });
}

export function renderRollEndpoint(visit: Visit, endpoint: WebhookEndpoint, formKey: string): View {
  return renderConfirmation({
    title: "Roll this endpoint's secret?",
    place: "webhooks",
    facts: factsOf(endpoint),
    says: "You get a new secret, shown once. Events are signed with both secrets for as long as you choose here, so that you can put the new one in the old one's place.",
    action: `${addressOf(visit, endpoint)}/roll`,
    inputs: html`${renderKeyField(formKey)}
    ${renderSelect({
      name: "overlap",
      label: "The old secret signs, too",
      options: overlaps,
      chosen: defaultOverlap,
    })}`,
    button: "Roll secret",
    back: backTo(visit, endpoint),
  });
}

export function renderDisableEndpoint(visit: Visit, endpoint: WebhookEndpoint): View {
  return renderConfirmation({
    title: "Disable this endpoint?",
    place: "webhooks",
    facts: factsOf(endpoint),
    says: "Nothing is sent to it until it is enabled again. What waits for it now is given up; it can be sent again later, one by one.",
    action: `${addressOf(visit, endpoint)}/disable`,
    button: "Disable endpoint",
    isDangerous: true,
    back: backTo(visit, endpoint),
  });
}

export function renderDeleteEndpoint(visit: Visit, endpoint: WebhookEndpoint): View {
  const what = kindOf(endpoint).toLowerCase();
  return renderConfirmation({
    title: `Delete this ${what}?`,
    place: "webhooks",
    facts: factsOf(endpoint),
    says: `The ${what} and its deliveries are gone for good; what waits for it is never sent.`,
    action: `${addressOf(visit, endpoint)}/delete`,
    button: `Delete ${what}`,
    isDangerous: true,
    back: backTo(visit, endpoint),
  });
}

export function renderEndpointsLink(visit: Visit): { address: string; text: string } {
  return { address: visit.addressOf("/webhooks"), text: "All webhooks" };
}

function backTo(visit: Visit, endpoint: WebhookEndpoint): { address: string; text: string } {
  return { address: addressOf(visit, endpoint), text: "Back" };
}

function addressOf(visit: Visit, { id }: WebhookEndpoint): string {
  return visit.addressOf(`/webhooks/${id}`);
}

function kindOf({ url }: WebhookEndpoint): string {
  return url === null ? "Listener" : "Endpoint";
}

function factsOf({ url, description }: WebhookEndpoint): [string, Html | string | null][] {
  return [
    ["Address", url && html`<bdi>${url}</bdi>`],
    ["Description", description && html`<bdi>${description}</bdi>`],
  ];
}

/** A listener has neither an address nor a secret of its own that anybody keeps. */
function actions(visit: Visit, endpoint: WebhookEndpoint): Html {
  const place = addressOf(visit, endpoint);
  const link = (path: string, text: string) =>
    html`<a class="secondary" href="${place}/${path}">${text}</a>`;
  const enable = html`<form method="post" action="${place}/enable">
    <button class="secondary">Enable</button>
  </form>`;
  return html`<div class="row">
    ${endpoint.url !== null && link("roll", "Roll secret…")}
    ${endpoint.url !== null && (endpoint.status === "enabled" ? link("disable", "Disable…") : enable)}
    ${link("delete", "Delete…")}
  </div>`;
}

function columnsFor(visit: Visit, endpoint: WebhookEndpoint): Column<Delivery>[] {
  return [
    { title: "Event", cell: ({ type }) => type },
    { title: "Delivery", cell: renderDeliveryBadge },
    {
      title: "Answer",
      cell: (delivery) => html`<span class="wraps">${describeResponse(delivery)}</span>`,
    },
    { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
    { title: "Next attempt", cell: ({ next_attempt_at: next }) => renderTime(next) },
    { title: "Created", cell: ({ created }) => renderTime(created) },
    { title: "Event's id", cell: ({ event }) => renderId(event) },
    ...(endpoint.status === "enabled" ? [resendColumn(visit, endpoint)] : []),
  ];
}

function resendColumn(visit: Visit, endpoint: WebhookEndpoint): Column<Delivery> {
  return {
    title: "Actions",
    cell: ({ event, type }) =>
      html`<form method="post" action="${addressOf(visit, endpoint)}/resend">
        ${renderKeyField(createFormKey())}<input type="hidden" name="event" value="${event}" />
        <button class="link">Resend<span class="unseen"> ${type} ${event}</span></button>
      </form>`,
  };
}
