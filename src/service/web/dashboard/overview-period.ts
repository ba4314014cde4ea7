import { maxReportPeriods } from "../../../contract/field-values.ts";
import { findDay, formatDay, parseDay } from "../../../runtime/time.ts";
import { findLastDays } from "../../reports/get-overview.ts";
import type { DayRange } from "../../reports/sum-figures.ts";
import { html, type Html } from "../design/html.ts";
import { formatDays } from "./bar-chart.ts";
import { renderField } from "./elements.ts";
import { dateMistake } from "./list-filters.ts";
import type { Visit } from "./visit.ts";

/** The periods to choose from, in days up to today. */
const presets = [7, 30, 90] as const;
type Preset = (typeof presets)[number];
const defaultPreset = 30;

/** The days of the overview: a preset, or those that its address names as `from` and `to`, both included. */
export type OverviewPeriod = {
  days: DayRange;
  /** Undefined where the address names days. */
  preset?: Preset;
  /** As they stand in the address. */
  from: string;
  to: string;
};
export type WrongPeriod = Pick<OverviewPeriod, "from" | "to"> & {
  mistakes: { from?: string; to?: string };
};

export function createPreset(preset: Preset, nowMs: number): OverviewPeriod {
  return { days: findLastDays(nowMs, preset), preset, from: "", to: "" };
}

/** A period without a first day has 30 days, but none before 1970; one without a last day ends with today. */
export function parsePeriod(params: URLSearchParams, nowMs: number): OverviewPeriod | WrongPeriod {
  const from = params.get("from")?.trim() ?? "";
  const to = params.get("to")?.trim() ?? "";
  if (from === "" && to === "") {
    const preset = presets.find((each) => String(each) === params.get("days"));
    return createPreset(preset ?? defaultPreset, nowMs);
  }
  const [first, last] = [parseDay(from), parseDay(to)];
  const mistakes = {
    ...(from !== "" && first === undefined && { from: dateMistake }),
    ...(to !== "" && last === undefined && { to: dateMistake }),
  };
  if (Object.keys(mistakes).length > 0) return { from, to, mistakes };
  const endDay = (last ?? findDay(nowMs)) + 1;
  const days = { firstDay: first ?? Math.max(0, endDay - defaultPreset), endDay };
  const wrong = describeWrongRange(days);
  if (wrong === undefined) return { from, to, days };
  return { from, to, mistakes: to === "" ? { from: wrong } : { to: wrong } };
}

function describeWrongRange({ firstDay, endDay }: DayRange): string | undefined {
  if (endDay <= firstDay) return "Choose a first day that is not after the last one.";
  return endDay - firstDay > maxReportPeriods
    ? `Choose at most ${maxReportPeriods} days: these are ${endDay - firstDay}.`
    : undefined;
}

/** The period as parameters of an address; the default one has none. */
export function listPeriodEntries(
  period: Partial<OverviewPeriod>,
): [name: string, value: string][] {
  const { from = "", to = "", preset = defaultPreset } = period;
  const entries: [string, string][] = [
    ["from", from],
    ["to", to],
    ["days", preset === defaultPreset ? "" : String(preset)],
  ];
  return entries.filter(([, value]) => value !== "");
}

/** The first and the last day of a period, as dates. */
export function listBounds({ days }: OverviewPeriod): { from: string; to: string } {
  return { from: formatDay(days.firstDay), to: formatDay(days.endDay - 1) };
}

type SwitchedPeriod = {
  visit: Visit;
  period: OverviewPeriod | WrongPeriod;
  currency: string | null;
};

/** Links to the periods and a form for other days, which keep the currency. */
export function renderPeriodSwitch(shown: SwitchedPeriod): Html {
  const { visit, period, currency } = shown;
  const links = presets.map((preset) => {
    const isCurrent = "preset" in period && period.preset === preset;
    const address = toPeriodAddress(visit, currency, listPeriodEntries({ preset }));
    return renderChoiceLink(address, `${preset} days`, isCurrent);
  });
  return html`<div class="row periods">
    <nav aria-label="Period" class="modes">
      <ul>
        ${links}
      </ul>
    </nav>
    ${renderDaysForm(shown)}
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
        ${currencies.map((each) => renderChoiceLink(toPeriodAddress(visit, each, listPeriodEntries(period)), each.toUpperCase(), each === currency))}
      </ul>
    </nav>`
  );
}

function renderChoiceLink(address: string, text: string, isCurrent: boolean): Html {
  return html`<li>
    <a href="${address}" ${isCurrent && html` aria-current="true"`}>${text}</a>
  </li>`;
}

function toPeriodAddress(
  visit: Visit,
  currency: string | null,
  entries: [string, string][],
): string {
  const named: [string, string][] = currency === null ? [] : [["currency", currency]];
  const query = new URLSearchParams([...named, ...entries]).toString();
  return visit.addressOf(query && `?${query}`);
}

function renderDaysForm({ visit, period, currency }: SwitchedPeriod): Html {
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
