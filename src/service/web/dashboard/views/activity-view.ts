import type { Activity, Actor } from "../../../ports/activity.ts";
import { html, type Html } from "../html.ts";
import type { PageLinks } from "../list-page.ts";
import type { Visit } from "../visit.ts";
import { renderPageLinks, renderTime, wholeIdHtml } from "./elements.ts";
import type { View } from "./frame.ts";

type Listed = PageLinks & {
  /** Newest first. */
  activities: readonly Activity[];
};

/** Who did what in an account. `there`: the ids of the endpoints and operators that there still are. */
export function renderActivity(visit: Visit, listed: Listed, there: ReadonlySet<string>): View {
  const { activities, hasNewer, hasOlder } = listed;
  return {
    title: "Activity",
    place: "activity",
    content: html`<p class="quiet-text">In both modes, kept for a year.</p>
      ${
        activities.length > 0
          ? html`<ol class="sheet log">
                ${activities.map((each) => entryHtml(visit, each, there))}
              </ol>
              ${renderPageLinks({ name: "More activity", address: visit.addressOf("/activity"), items: activities, hasNewer, hasOlder })}`
          : html`<p>Nothing yet.</p>`
      }`,
  };
}

function entryHtml(visit: Visit, activity: Activity, there: ReadonlySet<string>): Html {
  return html`<li>
    <p>${actorHtml(activity.actor)} ${deedHtml(visit, activity, there)}</p>
    <p class="small quiet-text">${renderTime(activity.created)}</p>
  </li>`;
}

function actorHtml({ type, name }: Actor): Html {
  const told = html`<strong><bdi>${name}</bdi></strong>`;
  switch (type) {
    case "operator":
      return told;
    case "api_key":
      return html`The key ${told}`;
    case "command":
      return html`${told}, by a command,`;
    default:
      return type satisfies never;
  }
}

/** What was done, as the rest of a sentence that begins with who did it. */
function deedHtml(visit: Visit, activity: Activity, there: ReadonlySet<string>): Html {
  const { action, livemode, subject, detail } = activity;
  const mode = livemode === null ? visit.mode : livemode ? "live" : "test";
  const name = subject.name === null ? wholeIdHtml(subject.id) : html`<bdi>${subject.name}</bdi>`;
  const link = (path: string, text: Html) =>
    html`<a href="${visit.addressOf(path, { mode })}">${text}</a>`;
  const key = html`the ${mode} key ${link("/keys", name)}`;
  const operator = there.has(subject.id) ? link(`/team/${subject.id}`, name) : name;
  const endpointOf = (id: string, text: Html) =>
    there.has(id) ? link(`/webhooks/${id}`, text) : text;
  const endpoint = html`the ${mode}
  ${
    subject.name === null
      ? endpointOf(subject.id, html`listener`)
      : html`endpoint ${endpointOf(subject.id, name)}`
  }`;
  const payment = html`the ${mode} payment
  ${link(`/payments/${subject.id}`, wholeIdHtml(subject.id))}`;
  switch (action) {
    case "account.created":
      return html`created the account ${name}`;
    case "account.renamed":
      return html`named the account ${name}`;
    case "api_key.created":
      return html`created ${key}`;
    case "api_key.rolled":
      return html`rolled ${key}`;
    case "api_key.revoked":
      return html`revoked ${key}`;
    case "payment.refunded":
      return html`refunded ${payment}`;
    case "payment.refund_requested":
      return html`requested the refund of ${payment}`;
    case "webhook_endpoint.created":
      return html`created ${endpoint}`;
    case "webhook_endpoint.updated":
      return html`changed ${endpoint}`;
    case "webhook_endpoint.enabled":
      return html`enabled ${endpoint}`;
    case "webhook_endpoint.disabled":
      return html`disabled ${endpoint}`;
    case "webhook_endpoint.rolled":
      return html`rolled the secret of ${endpoint}`;
    case "webhook_endpoint.deleted":
      return html`deleted ${endpoint}`;
    case "event.resent":
      return html`resent the ${mode} event ${wholeIdHtml(subject.id)} to
      ${detail === null ? "all endpoints" : endpointOf(detail, html`an endpoint`)}`;
    case "operator.invited":
      return html`made a link for ${operator}, as ${detail}`;
    case "operator.role_changed":
      return html`made ${operator} ${detail}`;
    case "operator.removed":
      return html`removed ${operator}`;
    case "operator.signed_in":
      return html`signed in`;
    case "operator.signed_out_everywhere":
      return html`signed out everywhere`;
    default:
      return action satisfies never;
  }
}
