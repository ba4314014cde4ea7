import { parseDay } from "../../../runtime/time.ts";
import { html, type Html } from "../design/html.ts";
import { formatDays } from "./chart-spans.ts";
import { renderField } from "./labeled-fields.ts";
import {
  listPeriodEntries,
  presets,
  type OverviewPeriod,
  type WrongPeriod,
} from "./overview-period.ts";
import type { Visit } from "./visit.ts";

type Shown = { visit: Visit; period: OverviewPeriod | WrongPeriod; currency: string | null };

/** Links to the periods and a form for other days, which keep the currency. */
export function renderPeriodSwitch(shown: Shown): Html {
  const { visit, period, currency } = shown;
  const links = presets.map((preset) => {
    const isCurrent = "preset" in period && period.preset === preset;
    const address = toAddress(visit, currency, listPeriodEntries({ preset }));
    return renderChoice(address, `${preset} days`, isCurrent);
  });
  return html`<div class="row periods">
    <nav aria-label="Period" class="modes">
      <ul>
        ${links}
      </ul>
    </nav>
    ${renderForm(shown)}
  </div>`;
}

/** Links to the other currencies of the period. */
export function renderCurrencySwitch(
  visit: Visit,
  period: OverviewPeriod,
  { currencies, currency }: { currencies: readonly string[]; currency: string | null },
): Html | false {
  return (
    currencies.length > 1 &&
    html`<nav aria-label="Currency" class="modes">
      <ul>
        ${currencies.map((each) => renderChoice(toAddress(visit, each, listPeriodEntries(period)), each.toUpperCase(), each === currency))}
      </ul>
    </nav>`
  );
}

function renderChoice(address: string, text: string, isCurrent: boolean): Html {
  return html`<li>
    <a href="${address}" ${isCurrent && html` aria-current="true"`}>${text}</a>
  </li>`;
}

function toAddress(visit: Visit, currency: string | null, entries: [string, string][]): string {
  const named: [string, string][] = currency === null ? [] : [["currency", currency]];
  const query = new URLSearchParams([...named, ...entries]).toString();
  return visit.addressOf(query && `?${query}`);
}

function renderForm({ visit, period, currency }: Shown): Html {
  const mistakes = "mistakes" in period ? period.mistakes : {};
  const field = (name: "from" | "to", label: string) => {
    // Without a value that is not a day: the browser would log an error.
    const day = parseDay(period[name]) === undefined ? "" : period[name];
    const input = html`type="date" value="${day}"`;
    return renderField({ name, label, mistake: mistakes[name], input });
  };
  const isOther = "days" in period && period.preset === undefined;
  return html`<details class="menu period" ${"mistakes" in period && html` open`}>
    <summary class="secondary">
      ${isOther ? formatDays(period.days.firstDay, period.days.endDay - 1) : "Custom"}
    </summary>
    <form method="get" action="${visit.addressOf("")}" class="steps">
      ${currency !== null && html`<input type="hidden" name="currency" value="${currency}" />`}
      ${field("from", "From (UTC)")} ${field("to", "To (UTC)")}
      <button class="secondary">Show</button>
    </form>
  </details>`;
}
