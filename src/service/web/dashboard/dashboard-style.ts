import { design } from "../design/design.ts";
import { overviewStyle } from "./overview-style.ts";
import { frameStyle } from "./frame-style.ts";
import { tableStyle } from "./table-style.ts";

/** The style of every page of the dashboard: what all pages are built of, and its own layout. */
export const dashboardStyle = `${Object.values(design).join("\n")}
body { background: var(--page); }
h1 { overflow-wrap: anywhere; }
ul { margin: 0; padding: 0; list-style: none; }
bdi, dd, td, strong, .choice, .hint { overflow-wrap: anywhere; }
${frameStyle}
${tableStyle}
.choices ul { display: flex; flex-wrap: wrap; gap: var(--space-2); }
.choices a { display: block; min-height: 2.75rem; padding: .5rem var(--space-3); color: var(--text); text-decoration: none; background: var(--sheet); border: 1px solid var(--edge); border-radius: var(--corner); }
.choices a:hover { background: var(--tint); }
.choices [aria-current] { background: var(--text); color: var(--sheet); font-weight: 600; }
.removable ul { align-items: center; gap: var(--space-2) var(--space-3); }
.removable a { min-height: 2rem; padding: .25rem var(--space-3); border-radius: 1rem; font-size: var(--small); overflow-wrap: anywhere; }
.removable .clear { padding-inline: 0; border: 0; background: none; color: var(--accent); text-decoration: underline; }
.removable [aria-hidden] { margin-inline-start: var(--space-1); font-weight: 600; }

.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--corner); padding: var(--space-4); display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-3); }
details.sheet { display: block; }
details.sheet > summary { font-weight: 600; margin: calc(-1 * var(--space-4)); padding: var(--space-3) var(--space-4); }
details.sheet[open] > summary { margin-bottom: var(--space-2); }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-3); }
.apart { justify-content: space-between; }
.quiet-text { color: var(--quiet); }
.small { font-size: var(--small); }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9375em; }
code { overflow-wrap: anywhere; user-select: all; }
code code.one-line { --size: 1em; }
.command { display: flex; justify-content: space-between; align-items: center; gap: var(--space-3); width: 100%; padding: var(--space-2) var(--space-3); background: var(--page); border-radius: var(--corner); text-align: start; }
.command code { min-width: 0; text-wrap: wrap; }
.command span { display: inline-block; max-width: 100%; }
.copy { flex: none; min-height: 1.75rem; padding: 0 var(--space-2); border: 1px solid var(--edge); border-radius: var(--space-1); background: var(--sheet); color: var(--text); font: inherit; font-size: var(--small); cursor: pointer; }
.copy:hover { background: var(--tint); }
.whole-text { white-space: nowrap; }
a .quiet-text { color: inherit; }
.first-steps { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-3); margin: 0; padding-inline-start: 1.5rem; max-width: 42rem; text-align: start; }
.first-steps .command { margin-top: var(--space-1); }

.money { font-weight: 600; font-variant-numeric: tabular-nums; }
.empty p { text-wrap: balance; }
.empty > .command { max-width: 46rem; }
.empty { padding: var(--space-8) var(--space-4); text-align: center; justify-items: center; }

dl.facts { display: grid; grid-template-columns: minmax(0, 1fr); margin: calc(-1 * var(--space-2)) 0; }
.question { gap: var(--space-4); }
.question > .facts { margin-bottom: 0; border-bottom: 1px solid var(--line); }
.sheet > :not(h2) + .facts { margin-top: 0; }
.facts dt { color: var(--quiet); font-size: var(--small); padding-top: var(--space-2); }
.facts dd { container-type: inline-size; --around: 0rem; margin: 0; padding-bottom: var(--space-2); border-bottom: 1px solid var(--line); }
.facts > :last-child { border-bottom: 0; }
.facts .accounts { display: grid; gap: var(--space-2); }

.timeline { margin: 0; padding: 0; list-style: none; }
.timeline > li { container-type: inline-size; --around: 0rem; position: relative; display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-1); padding: 0 0 var(--space-6) 1.75rem; }
.timeline > li:last-child { padding-bottom: 0; }
.timeline > li::before { content: ""; position: absolute; inset: .375rem auto auto .125rem; border: .375rem solid var(--quiet); border-radius: 50%; }
.timeline > li.good::before { border-color: var(--good); }
.timeline > li.waiting::before { border-color: var(--waiting); }
.timeline > li.wrong::before { border-color: var(--wrong); }
.timeline > li:not(:last-child)::after { content: ""; position: absolute; inset: 1.375rem auto -.125rem .4375rem; border-inline-start: 2px solid var(--line); }
.timeline .row { column-gap: var(--space-2); }
.deliveries { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-3); padding-top: var(--space-1); }
.huge { font-size: var(--huge); letter-spacing: -.02em; }
.clamped { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.under-head { margin-top: calc(-1 * var(--space-2)); color: var(--quiet); font-size: var(--small); align-items: center; }
.timeline .delivery { flex-wrap: nowrap; }
.delivery > :first-child { flex: 1; min-width: 0; white-space: nowrap; }
.parts > .two-lines { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.question dd > bdi { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }
.parts { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); }
.parts > * { min-width: 0; overflow-wrap: anywhere; }
.steps { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-4); justify-items: start; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 100%), 1fr)); gap: var(--space-3); align-items: start; }
.filters button { margin-top: var(--space-4); }
.filters label { font-size: var(--small); }
.search { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-3); }
.filter-bar { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: start; }
.filter-bar > .field { flex: 1 1 10rem; max-width: none; }
.filter-bar :is(input, select) { margin-top: 0; background-color: var(--sheet); }
.filter-bar .row { align-items: start; gap: var(--space-2); order: 1; flex: 1 0 100%; }
.filter-bar .row > .field { flex: 1 1 6rem; min-width: 0; }
.filter-bar summary { margin: 0; padding-inline: var(--space-3); border: 1px solid var(--edge); }
.filter-bar .folded label { display: block; font-size: var(--small); margin-bottom: var(--space-1); }
.filter-bar .folded .fields { grid-template-columns: minmax(0, 1fr); padding: var(--space-4); }
.filter-bar .folded[open] { flex-basis: 100%; }
.filter-bar .folded[open] > .fields { position: static; margin-top: var(--space-2); max-width: none; box-shadow: none; }
.find { display: flex; flex-wrap: wrap; align-items: end; gap: var(--space-4) var(--space-2); }
.find .field { flex: 1 1 14rem; }
.field { max-width: 32rem; }
.with-button { display: flex; align-items: end; gap: var(--space-2); }
.with-button input { min-width: 0; }
.with-button button { flex: none; }
.columns, .columns > div { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: var(--space-4); }
.prose { max-width: 42rem; }
.mono, .secret textarea { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9375em; }
.secret .row { align-items: start; margin-top: var(--space-1); }
.secret textarea { flex: 1 1 16rem; min-width: 0; margin: 0; field-sizing: content; resize: none; word-break: break-all; }
.steps .field { width: 100%; }
.whole { justify-items: stretch; gap: var(--space-2); padding-top: var(--space-4); }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; }
.choice { display: flex; gap: var(--space-2); min-height: 2.75rem; padding-block: .625rem; font-weight: 400; }
.choice input { appearance: none; flex: none; display: grid; place-content: center; width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; border: 1px solid var(--edge); border-radius: var(--space-1); background: var(--sheet); }
.choice :checked { border-color: var(--accent); background: var(--accent); }
.choice :checked::before { content: ""; width: .375rem; height: .6875rem; border: solid var(--on-accent); border-width: 0 2px 2px 0; rotate: 45deg; translate: 0 -.0625rem; }
.link { border: 0; padding: 0; background: none; color: var(--accent); font: inherit; text-decoration: underline; text-underline-offset: .2em; cursor: pointer; }
.destructive { color: var(--wrong); }
.secondary.destructive { border-color: currentColor; }
.log { margin: 0; list-style: none; }
.log bdi { display: inline-block; text-align: left; text-decoration: inherit; max-width: min(100%, 20rem); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.log li { display: grid; grid-template-columns: minmax(0, 1fr); align-items: baseline; gap: 0 var(--space-4); overflow-wrap: anywhere; }
.log li + li { border-top: 1px solid var(--line); padding-top: var(--space-3); }
@media (min-width: 40rem) {
  .filter-bar .row { order: 0; flex: none; max-width: 100%; }
  .filter-bar .row > .field { flex: none; width: 10rem; }
  .filter-bar .folded[open] { flex-basis: auto; }
  .filter-bar .folded[open] > .fields { position: absolute; width: 20rem; max-width: calc(100vw - 2rem); box-shadow: 0 .5rem 1.5rem rgb(20 25 45 / .2); }
  .filter-bar .folded:has(.mistake) > .fields { position: static; }
}
@container (max-width: 26rem) { .question form .row { width: 100%; } .question form .row > *, .secret button { flex: 1 1 100%; } }
@container (min-width: 22rem) {
  dl.facts { grid-template-columns: minmax(0, 9rem) minmax(0, 1fr); }
  .facts :is(dt, dd) { padding: var(--space-2) 0; border-bottom: 1px solid var(--line); font-size: 1rem; }
  .facts dt { padding-inline-end: var(--space-3); }
  .facts dt:last-of-type { border-bottom: 0; }
}
@container (max-width: 26rem) {
  .command { flex-wrap: wrap; padding-inline: var(--space-2); }
  .command code { font-size: .75rem; }
}
@container (min-width: 40rem) { dl.facts { grid-template-columns: minmax(0, 12rem) minmax(0, 1fr); } }
@container (min-width: 42rem) { .log li { grid-template-columns: minmax(0, 1fr) auto; } }
@container (min-width: 60rem) {
  .columns { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
  .columns > div { container-type: inline-size; }
}
@media (forced-colors: active) {
  .choice input { appearance: auto; }
  [aria-current] { forced-color-adjust: none; background: Highlight !important; color: HighlightText !important; }
  .sections a:not([aria-current]) { border-color: Canvas; }
}
@media print {
  .skip, .sections, .bar, .menu, .back, form, .head > .row, button, nav, .command, a.secondary, .actions, details:not([open]), .sheet:has(> form) { display: none !important; }
  body { background: none; font-size: .875rem; }
  .band { padding: 0; background: none; color: inherit; }
  .list tr, .log li, .timeline > li, .facts dd, .chart, .tiles > div, .ranks > li { break-inside: avoid; }
  h2, .part > :first-child { break-after: avoid; }
  .list { container-type: normal; overflow: visible; }
  .list :is(th, td) { white-space: normal; }
  .list :is(th, td).any { width: 32%; max-width: none; }
  .list .pair > * { display: block; }
  :is(.text, .clamped, .two-lines, .log bdi, .question dd > bdi) { overflow: visible !important; max-width: none !important; white-space: normal !important; overflow-wrap: anywhere; -webkit-line-clamp: none !important; }
  .room { padding: 0; }
  .columns, .columns > div, .part { display: block; }
  :is(.columns, .columns > div, .part) > * + * { margin-top: var(--space-3); }
  a { color: inherit; text-decoration: none; }
}
${overviewStyle}`;
