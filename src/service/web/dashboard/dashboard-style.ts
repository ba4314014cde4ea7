import { design } from "../design/design.ts";
import { overviewStyle } from "./overview-style.ts";

/** The style of every page of the dashboard: what all pages are built of, and its own layout. */
export const dashboardStyle = `${Object.values(design).join("\n")}
body { background: var(--page); }
h1 { overflow-wrap: anywhere; }
ul { margin: 0; padding: 0; list-style: none; }
bdi, dd, td, strong, .choice, .hint { overflow-wrap: anywhere; }
.skip { position: absolute; left: -100vw; padding: var(--space-2) var(--space-4); background: var(--sheet); z-index: 2; }
.skip:focus { left: var(--space-2); top: var(--space-2); }

.band > div, .bar > div, .room { max-width: 90rem; margin-inline: auto; }
.band { padding-inline: var(--space-4); font-size: var(--small); }
.band > div { flex-wrap: nowrap; align-items: center; gap: var(--space-3); }
.band > div > p { padding: 0; }
.band .meaning { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.place { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.whole-menu > div { display: grid; gap: var(--space-3); font-size: 1rem; color: var(--text); }
.whole-menu :focus-visible { outline-color: var(--accent); }
.whole-menu .modes ul { display: grid; grid-template-columns: 1fr 1fr; text-align: center; }
.whole-menu > div > * + * { border-top: 1px solid var(--line); padding-top: var(--space-3); }
.who { padding: 0 var(--space-3); overflow-wrap: anywhere; }
.bar { background: var(--sheet); border-bottom: 1px solid var(--line); padding: var(--space-2) var(--space-4); }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-4); }
.account { font-weight: 600; margin-inline-end: auto; min-width: 0; }
.modes ul { display: flex; border: 1px solid var(--edge); border-radius: var(--corner); overflow: clip; }
.modes a { display: block; min-height: 2.75rem; padding: .5625rem var(--space-4); color: var(--text); text-decoration: none; }
.modes a:hover { background: var(--tint); }
.modes [aria-current] { background: var(--text); color: var(--sheet); font-weight: 600; }
.modes :focus-visible { outline-offset: -4px; }
.choices ul { display: flex; flex-wrap: wrap; gap: var(--space-2); }
.choices a { display: block; min-height: 2.75rem; padding: .5rem var(--space-3); color: var(--text); text-decoration: none; background: var(--sheet); border: 1px solid var(--edge); border-radius: var(--corner); }
.choices a:hover { background: var(--tint); }
.choices [aria-current] { background: var(--text); color: var(--sheet); font-weight: 600; }
.removable a { border-radius: 1.375rem; }
.menu { position: relative; }
.menu summary { min-height: 2.75rem; padding: .5625rem var(--space-2); cursor: pointer; border-radius: var(--corner); }
.menu summary:hover { background: var(--tint); }
.menu > :not(summary) { position: absolute; z-index: 1; inset-inline-end: 0; min-width: min(14rem, 100vw - 2rem); max-width: calc(100vw - 2rem); padding: var(--space-2); background: var(--sheet); border: 1px solid var(--edge); border-radius: var(--corner); box-shadow: 0 .5rem 1.5rem rgb(20 25 45 / .2); }
.menu.account { margin-inline-start: calc(-1 * var(--space-2)); }
.menu.account > :not(summary) { inset-inline: 0 auto; font-weight: 400; }
.menu li a { display: block; padding: var(--space-2) var(--space-3); color: var(--text); text-decoration: none; border-radius: var(--corner); }
.menu li a:hover { background: var(--tint); }
.menu [aria-current] { font-weight: 600; }
.menu .quiet { width: 100%; justify-content: start; color: var(--text); }
.person { margin-inline: auto calc(-1 * var(--space-2)); }
.role { color: var(--quiet); font-size: var(--small); }

.room { padding: 0 var(--space-4) var(--space-8); }
.sections, .bar { display: none; }
.sections a { display: block; padding: .625rem var(--space-3); color: var(--quiet); text-decoration: none; border-inline-start: 3px solid transparent; }
.sections a:hover { color: var(--text); }
.sections [aria-current] { color: var(--text); font-weight: 600; border-color: var(--accent); }
.sections :focus-visible { outline-offset: -4px; }
main { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: var(--space-4); padding-top: var(--space-6); }
main { --around: 2.25rem; }
main:focus { outline: none; }
main > h1 { margin-bottom: 0; }
.unframed { max-width: 32rem; margin: 0 auto; padding: var(--space-8) var(--space-4); }
.product { color: var(--quiet); font-weight: 600; }
.unframed .primary { width: 100%; }

.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--corner); padding: var(--space-4); display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-3); }
details.sheet { display: block; }
details.sheet > summary { cursor: pointer; font-weight: 600; margin: calc(-1 * var(--space-4)); padding: var(--space-3) var(--space-4); }
details.sheet[open] > summary { margin-bottom: var(--space-2); }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-2) var(--space-3); }
.apart { justify-content: space-between; }
.quiet-text { color: var(--quiet); }
.small { font-size: var(--small); }
code, .id { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9375em; }
code { overflow-wrap: anywhere; user-select: all; }
.command { display: flex; justify-content: space-between; align-items: baseline; gap: var(--space-3); width: 100%; padding: var(--space-2) var(--space-3); background: var(--page); border-radius: var(--corner); text-align: start; }
.id { display: inline-block; max-width: 10ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; direction: rtl; vertical-align: bottom; }

.list { container: list / inline-size; background: var(--sheet); border: 1px solid var(--line); border-radius: var(--corner); overflow: clip; }
.list table { width: 100%; }
.list th, .list td { padding: .625rem; white-space: nowrap; vertical-align: middle; }
.list tbody th { font-weight: inherit; text-align: start; }
.list thead th { color: var(--quiet); font-weight: 600; background: var(--tint); }
.list tbody tr:last-child > * { border-bottom: 0; }
.list tbody tr:hover { background: var(--tint); }
.list .number { text-align: end; }
.list .row { flex-wrap: nowrap; min-width: 0; }
.list :is(th, td).any { max-width: 0; width: 33%; }
.text { display: block; overflow: hidden; text-overflow: ellipsis; }
@container list (max-width: 66rem) { .list .from-wide { display: none; } }
@container list (max-width: 52rem) { .list .from-medium { display: none; } }
@container list (max-width: 38rem) {
  .list :is(table, tbody), .list tbody :is(th, td) { display: block; }
  .list tbody :is(.from-wide, .from-medium) { display: block; }
  .list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list tbody tr { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-1) var(--space-4); padding: var(--space-3) var(--space-4); border-bottom: 1px solid var(--line); }
  .list tbody tr:last-child { border-bottom: 0; }
  .list tbody :is(th, td) { padding: 0; border: 0; min-width: 0; }
  .list tbody :is(th, td).any { max-width: 100%; width: auto; }
  .list tbody th { flex: 1 0 auto; font-weight: 600; }
  .list tbody th.any { flex: 1 1 60%; }
  .list tbody .number { text-align: start; }
  .list tbody td:empty { display: none; }
  .list td[data-label]::before { content: attr(data-label) " "; color: var(--quiet); }
  .list td.actions { flex-basis: 100%; padding-top: var(--space-1); }
  .list td.any :is(.wraps, .text) { display: inline; white-space: normal; overflow-wrap: anywhere; }
}
.money { font-weight: 600; font-variant-numeric: tabular-nums; }
.empty p { text-wrap: balance; }
.empty { padding: var(--space-8) var(--space-4); text-align: center; justify-items: center; }

dl.facts { display: grid; grid-template-columns: minmax(0, 1fr); margin: calc(-1 * var(--space-2)) 0; }
.facts dt { color: var(--quiet); font-size: var(--small); padding-top: var(--space-2); }
.facts dd { margin: 0; padding-bottom: var(--space-2); border-bottom: 1px solid var(--line); }
.facts > :last-child { border-bottom: 0; }

.events { margin: 0; padding: 0; list-style: none; display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-4); }
.events > li { border-top: 1px solid var(--line); padding-top: var(--space-3); display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-2); }
.events > :first-child { border-top: 0; padding-top: 0; }
.steps { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-4); justify-items: start; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 100%), 1fr)); gap: var(--space-3); align-items: start; }
.filters button { margin-top: var(--space-4); }
.filters label { font-size: var(--small); }
.search { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-3); }
.filter-bar { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: start; }
.filter-bar > .field { flex: 1 1 10rem; max-width: none; }
.filter-bar :is(input, select) { margin-top: 0; background: var(--sheet); }
.filter-bar .row { align-items: start; gap: var(--space-2); order: 1; flex: 1 0 100%; }
.filter-bar .row > .field { max-width: 11rem; }
.filter-bar summary { margin: 0; border: 1px solid var(--edge); }
.filter-bar .folded label { display: block; font-size: var(--small); margin-bottom: var(--space-1); }
.filter-bar .folded .fields { grid-template-columns: minmax(0, 1fr); padding: var(--space-4); }
.filter-bar .folded[open] { flex-basis: 100%; }
.filter-bar .folded[open] > .fields { position: static; margin-top: var(--space-2); max-width: none; box-shadow: none; }
.find { display: flex; flex-wrap: wrap; align-items: end; gap: var(--space-2); }
.find .field { flex: 1 1 14rem; }
.field { max-width: 32rem; }
.with-button { display: flex; align-items: end; gap: var(--space-2); }
.with-button input { min-width: 0; }
.with-button button { flex: none; }
.columns, .columns > div { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: var(--space-4); }
.prose { max-width: 42rem; }
.mono, .secret input { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9375em; }
.wraps { display: block; max-width: 42rem; white-space: normal; font-weight: 400; }
.secret .row { flex-wrap: nowrap; margin-top: var(--space-1); }
.secret :is(input, button) { margin: 0; flex: 0 0 auto; }
.secret input { flex: 1 1 auto; min-width: 0; }
.steps .field { width: 100%; }
.whole { justify-items: stretch; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; }
.choice { display: flex; align-items: center; gap: var(--space-2); min-height: 2.75rem; font-weight: 400; }
.choice input { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
.link { border: 0; padding: 0; background: none; color: var(--accent); font: inherit; text-decoration: underline; text-underline-offset: .2em; cursor: pointer; }
.destructive { color: var(--wrong); }
.secondary.destructive { border-color: currentColor; }
.log { margin: 0; list-style: none; }
.log li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 var(--space-4); overflow-wrap: anywhere; }
.log li + li { border-top: 1px solid var(--line); padding-top: var(--space-3); }
@media (min-width: 40rem) {
  .person { margin-inline-start: 0; }
  .filter-bar .row { order: 0; flex: none; }
  .filter-bar .folded[open] { flex-basis: auto; }
  .filter-bar .folded[open] > .fields { position: absolute; width: 20rem; max-width: calc(100vw - 2rem); box-shadow: 0 .5rem 1.5rem rgb(20 25 45 / .2); }
  dl.facts { grid-template-columns: minmax(8rem, 12rem) minmax(0, 1fr); }
  .facts dt, .facts dd { padding: var(--space-2) 0; border-bottom: 1px solid var(--line); font-size: 1rem; }
  .facts dt { padding-inline-end: var(--space-3); }
  .facts dt:last-of-type { border-bottom: 0; }
}
@container (min-width: 60rem) {
  .columns { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
  .columns > div { container-type: inline-size; }
  .columns > :last-child { --around: 15.5rem; }
}
@media (min-width: 56.25rem) {
  .room { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: var(--space-6); }
  .sections, .bar { display: block; }
  .place, .whole-menu { display: none; }
  .band .meaning { position: static; width: auto; height: auto; clip-path: none; }
  .band > div > p { padding: var(--space-1) 0; }
  .sections { padding-top: var(--space-6); }
  .sections nav { position: sticky; top: var(--space-4); }
  .sections a:hover { background: var(--tint); }
  .sections [aria-current] { background: var(--sheet); }
}
@media print { .sections, .bar, .menu, form, .skip { display: none; } body { background: none; } }
${overviewStyle}`;
