import { html, type Html } from "../design/html.ts";
import { renderOneLine } from "./elements.ts";

type Bar = { day: string; value: number; text: string };

const height = 100;
const step = 20;
const gap = 4;

/** Bars by day. A screen reader says the highest; the page has all figures in a table, too. */
export function renderBarChart(name: string, bars: readonly Bar[]): Html {
  const [first] = bars;
  const highest = bars.toSorted((a, b) => b.value - a.value)[0];
  const last = bars.at(-1);
  if (!first || !highest || !last) return html``;
  const label = `${name}, from ${first.day} to ${last.day}. The highest is ${highest.text}, on ${highest.day}.`;
  return html`<figure class="chart">
    <p class="small quiet-text highest">${renderOneLine(highest.text)}</p>
    <svg
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${bars.length * step} ${height}"
      preserveAspectRatio="none"
    >
      ${bars.map((bar, index) => renderBar(bar, index, highest.value))}
    </svg>
    <figcaption class="row apart small quiet-text">
      ${renderOneLine(first.day)} ${renderOneLine(last.day)}
    </figcaption>
  </figure>`;
}

function renderBar({ day, value, text }: Bar, index: number, highest: number): Html {
  // A value above zero is seen, however small it is.
  const barHeight = value === 0 ? 0 : Math.max(2, Math.round((value / highest) * height));
  const x = index * step + gap / 2;
  return html`<g
    ><title>${day}: ${text}</title
    ><rect class="day" x="${index * step}" y="0" width="${step}" height="${height}" /><rect
      class="bar-of-day"
      x="${x}"
      y="${height - barHeight}"
      width="${step - gap}"
      height="${barHeight}"
  /></g>`;
}
