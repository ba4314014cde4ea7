import {
  type DueMoment,
  type History,
  type Moment,
  maxMoments,
} from "../../../contract/history.ts";
import { html, type Html } from "../design/html.ts";
import { renderId, renderTime } from "./elements.ts";
import { getDeliveryAddress } from "./endpoint-elements.ts";
import { groupDigits, toWords } from "./value-words.ts";
import type { Visit } from "./visit.ts";

/** The history of a payment, oldest first, and what is next. `endpoints` are the ids of those that exist. */
export function renderHistory(
  visit: Visit,
  { data, due, has_more: hasMore }: History,
  endpoints: ReadonlySet<string>,
): Html {
  return html`<section class="sheet" aria-labelledby="history">
    <h2 id="history">History</h2>
    <ol class="timeline">
      ${data.map((moment) => renderMoment(visit, moment, endpoints))} ${due.map(renderDue)}
    </ol>
    ${hasMore && html`<p class="small quiet-text">The newest ${groupDigits(String(maxMoments))} moments are shown.</p>`}
  </section>`;
}

const tones: Record<Moment["kind"], "plain" | "good" | "waiting" | "wrong"> = {
  created: "plain",
  replayed: "plain",
  refused: "wrong",
  challenged: "waiting",
  challenge_ended: "plain",
  succeeded: "good",
  failed: "wrong",
  refund_requested: "waiting",
  refunded: "plain",
  canceled: "wrong",
  delivered: "good",
  delivery_failed: "wrong",
  resent: "plain",
};

function renderMoment(visit: Visit, moment: Moment, endpoints: ReadonlySet<string>): Html {
  const { at, kind, text, event, delivery } = moment;
  return html`<li class="${tones[kind]}">
    <p class="row apart"><strong>${toWords(kind)}</strong> ${renderTime(at)}</p>
    <p><bdi>${text}</bdi></p>
    <p class="small quiet-text parts">
      ${renderAuthor(visit, moment)} ${event !== null && delivery === null && renderId(event)}
      ${renderLink(visit, moment, endpoints)}
    </p>
  </li>`;
}

/** Viewers, who see no requests, are not told which key or operator did it. */
function renderAuthor(visit: Visit, { by }: Moment): Html | false {
  if (!by) return false;
  const isPrivate = by.type === "key" || by.type === "operator";
  if (isPrivate && !visit.may("inspect")) return false;
  const who = by.name === null ? `the ${by.type}` : html`<bdi>${by.name}</bdi>`;
  const kind = by.name !== null && kindsBeforeNames[by.type];
  return html`<span class="two-lines">By ${kind}${who}</span>`;
}

const kindsBeforeNames: Partial<Record<string, string>> = {
  key: "the key ",
  network: "the card network ",
};

/** A link to the request or the delivery, for operators who may see it. */
function renderLink(
  visit: Visit,
  { request, delivery, endpoint }: Moment,
  endpoints: ReadonlySet<string>,
): Html | false {
  if (delivery !== null && endpoint !== null && endpoints.has(endpoint) && visit.may("administer"))
    return html`<a href="${getDeliveryAddress(visit, endpoint, delivery)}">Delivery</a>`;
  return (
    request !== null &&
    visit.may("inspect") &&
    html`<a href="${visit.addressOf(`/requests/${request}`)}">Request</a>`
  );
}

function renderDue({ at, text }: DueMoment): Html {
  return html`<li class="waiting">
    <p class="row apart"><strong>Next</strong> ${renderTime(at)}</p>
    <p><bdi>${text}</bdi></p>
  </li>`;
}
