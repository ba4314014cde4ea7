import type { Overview } from "../../domain/compute-overview.ts";
import { declineMessages } from "../../domain/decline.ts";
import { html, type Html } from "../design/html.ts";
import { formatRate } from "./compare-figures.ts";
import { formatCount } from "./overview-figures.ts";
import { listBounds, type OverviewPeriod } from "./overview-period.ts";
import type { Visit } from "./visit.ts";

/** Why payments were declined, as bars, each with a link to its payments. */
export function renderDeclines(visit: Visit, overview: Overview, period: OverviewPeriod): Html {
  const { declines, currency } = overview;
  const all = declines.reduce((sum, { count }) => sum + count, 0);
  const bounds = listBounds(period);
  const bars = declines.map(({ code, count }) => {
    const query = new URLSearchParams({ ...bounds, currency: currency ?? "", decline_code: code });
    return html`<li>
      <p class="row apart">
        <a href="${visit.addressOf(`/payments?${query.toString()}`)}">${readSentence(code)}</a>
        <span class="number">${formatCount(count)}</span>
      </p>
      <p class="row apart small quiet-text">
        <code>${code}</code> <span class="number">${formatRate(count / all)}</span>
      </p>
      <svg aria-hidden="true">
        <rect width="100%" height="100%" />
        <rect
          class="value"
          width="${Math.max(1, Math.round((count / all) * 100))}%"
          height="100%"
        />
      </svg>
    </li>`;
  });
  return html`<section class="part" aria-labelledby="declines">
    <h2 id="declines">Declines by reason</h2>
    <div class="sheet">
      ${
        bars.length > 0
          ? html`<ol class="ranks">
              ${bars}
            </ol>`
          : html`<p class="quiet-text">No payment was declined.</p>`
      }
    </div>
  </section>`;
}

/** The first sentence, which says what happened; the rest says what to do about one payment. */
function readSentence(code: Overview["declines"][number]["code"]): string {
  return declineMessages[code].split(/(?<=\.) /, 1)[0] ?? "";
}
