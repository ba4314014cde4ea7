import type { EndpointWithHealth } from "../../webhooks/find-endpoints.ts";
import { html, type Html } from "../design/html.ts";
import { renderSince } from "./elements.ts";
import { disabledReasons, getEndpointAddress, linkToWebhooks } from "./endpoint-elements.ts";
import type { Visit } from "./visit.ts";

const maxNamed = 3;

/** The endpoints that get no events though they should: they fail, or the service disabled them. */
export function renderEndpointNotice(
  visit: Visit,
  endpoints: readonly EndpointWithHealth[],
): Html | false {
  const broken = endpoints.filter(isBroken);
  const all = linkToWebhooks(visit);
  const named = broken.slice(0, maxNamed).map(
    (each) =>
      html`<li>
        <a
          class="text"
          href="${getEndpointAddress(visit, each.endpoint.id)}"
          title="${each.endpoint.url ?? ""}"
          ><bdi>${each.endpoint.url}</bdi></a
        >
        <span>${describeTrouble(each)}</span>
      </li>`,
  );
  const rest = broken.length - named.length;
  const what =
    broken.length === 1
      ? "A webhook endpoint is not receiving events:"
      : `${broken.length} webhook endpoints are not receiving events:`;
  return (
    broken.length > 0 &&
    html`<div class="notice waiting" role="alert">
      <p><strong>${what}</strong></p>
      <ul class="broken">
        ${named} ${rest > 0 && html`<li><a href="${all.address}">${all.text}</a></li>`}
      </ul>
    </div>`
  );
}

function describeTrouble({ endpoint, failingSince }: EndpointWithHealth): Html | string {
  const { disabled_reason: reason } = endpoint;
  if (failingSince !== null && endpoint.status === "enabled") {
    return html`Failing ${renderSince(failingSince)}`;
  }
  const words = reason === null ? undefined : disabledReasons[reason];
  return words === undefined ? "Disabled" : `Disabled. ${words}`;
}

function isBroken({ endpoint, failingSince }: EndpointWithHealth): boolean {
  if (endpoint.url === null) return false;
  return endpoint.status === "disabled" ? endpoint.disabled_reason !== null : failingSince !== null;
}
