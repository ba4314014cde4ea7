import { design } from "../design/design.ts";

const { tokens, base, oneLine, buttons, inputs, notices, bands } = design;

/** Light and dark, from 320 px on. */
export const paymentPageStyle = `${tokens}${base}${oneLine}${buttons}${inputs}${notices}${bands}
body { min-height: 100vh; display: grid; grid-template: auto 1fr / minmax(0, 1fr); }
.band > div { justify-content: center; text-align: center; }
details[open] { width: 100%; }
summary { cursor: pointer; width: fit-content; padding: .6875rem 0; text-decoration: underline; text-underline-offset: .2em; }
table { margin: var(--space-2) 0; }
:is(th, td):last-child { padding-inline-end: 0; overflow-wrap: anywhere; hyphens: auto; }
td code { margin: 0; }
.test th, .test td { border-color: var(--test-line); }
code { font: inherit; white-space: nowrap; user-select: all; margin-inline-end: var(--space-2); }

main { grid-row: 2; width: 100%; margin: 0 auto; }
.merchant { font-weight: 600; overflow-wrap: anywhere; }
.summary, .entry { container-type: inline-size; }
.summary { padding: var(--space-6) 1.25rem; background: var(--tint); border-bottom: 1px solid var(--line); }
.summary h1 { font-size: 1rem; line-height: 1.5; font-weight: 400; color: var(--quiet); }
.summary .merchant { color: var(--text); }
.summary dl { display: grid; gap: var(--space-1); margin: var(--space-4) 0 0; font-size: var(--small); }
.summary dt { color: var(--quiet); }
.summary dd { margin: 0 0 var(--space-2); }
.summary dd code { font-size: min(1em, 100cqi / 22); margin: 0; }
.entry { padding: var(--space-6) 1.25rem var(--space-3); }
.amount { display: block; color: var(--text); font-size: min(2.5rem, 100cqi / 7); white-space: nowrap; line-height: 1.15; font-weight: 700; letter-spacing: -.02em; }
.amount.long { font-size: min(1.75rem, 100cqi / 10); }
.amount.longest { font-size: min(1.25rem, 100cqi / 16); }
.amount .code { font-size: min(1rem, 1em); font-weight: 400; letter-spacing: 0; color: var(--quiet); }
.description { overflow-wrap: anywhere; overflow: hidden; }
p.description { margin-top: var(--space-2); color: var(--quiet); }

h2, .notice { margin-bottom: var(--space-4); }
.whole { white-space: nowrap; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); column-gap: var(--space-4); }
.field { margin-bottom: var(--space-4); display: grid; grid-row: span 3; grid-template-rows: subgrid; align-content: start; }
.above { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: var(--space-3); align-content: start; }
.hint { align-self: start; width: 100%; }
.brand { display: inline-flex; align-items: center; gap: var(--space-2); color: var(--quiet); }
.brand:has(#brand:empty) svg { display: none; }
.mistake:empty { margin: 0; }
.field input { min-height: 3rem; }
.quiet { text-decoration: underline; text-underline-offset: .2em; }
a, button { width: 100%; margin-top: var(--space-2); }
.primary, .secondary { min-height: 3.25rem; }
.primary { font-size: 1.0625rem; --around: 4rem; }
.primary svg { flex: none; }
.busy::before { content: ""; flex: none; width: 1em; height: 1em; border: .15em solid; border-block-start-color: transparent; border-radius: 50%; }
.busy svg { display: none; }
.promise { overflow-wrap: anywhere; padding: 0 1.25rem var(--space-6); text-wrap: balance; text-align: center; color: var(--quiet); font-size: var(--small); }

.outcome { padding: 3rem 1.25rem; text-align: center; max-width: 30rem; }
.outcome h1 { margin: var(--space-4) 0 var(--space-2); text-wrap: balance; }
.outcome .amount { font-size: min(1.25rem, 100cqi / 16); }
h1, h2 { overflow-wrap: anywhere; hyphens: auto; }
.outcome h1 + p { margin-top: var(--space-4); }
.outcome .description { margin-bottom: var(--space-4); }
.outcome p { margin-top: var(--space-2); text-wrap: balance; overflow-wrap: anywhere; }
.outcome .primary { margin-top: var(--space-6); }
.outcome form .secondary { margin-top: var(--space-6); }
.outcome .primary + .secondary { margin-top: var(--space-3); }
.outcome .aside { margin-top: var(--space-3); color: var(--quiet); font-size: var(--small); }
a.secondary { margin-top: var(--space-4); }
.outcome > svg { color: var(--quiet); }
.paid > svg { color: var(--good); }
.declined > svg { color: var(--wrong); }
.reason { font-weight: 600; }
.receipt { display: grid; gap: var(--space-1); margin: var(--space-6) 0 0; padding-top: var(--space-4); border-top: 1px solid var(--line); font-size: var(--small); text-align: start; }
.receipt dt { color: var(--quiet); }
.receipt dd + dt { margin-top: var(--space-2); }
.receipt dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.receipt :is(code, time) { font-size: min(1em, (100cqi - var(--around, 0rem)) / 22.5); white-space: nowrap; margin: 0; }
@container (min-width: 25rem) {
  .receipt { grid-template-columns: auto 1fr; gap: var(--space-2) var(--space-6); }
  .receipt dd + dt { margin-top: 0; }
  .receipt dd { --around: 6rem; }
}
.track { opacity: .25; }

@media (min-width: 40rem) {
  body { background: var(--page); }
  main { align-self: center; margin: var(--space-6) auto; border: 1px solid var(--line); border-radius: var(--large-corner); overflow: hidden; background: var(--sheet); box-shadow: 0 1rem 3rem -1.5rem rgb(20 25 45 / .25); }
  .open { max-width: 28rem; }
  .outcome, .summary { padding: var(--space-8); }
  .entry { padding: var(--space-8) var(--space-8) var(--space-4); }
}
@media (min-width: 60rem) {
  .open { display: grid; grid-template: 1fr auto / 9fr 11fr; max-width: 52rem; }
  .summary dl { margin-top: var(--space-8); }
  .summary { padding: 2.5rem 2rem var(--space-6); border: 0; }
  .entry { grid-area: 1 / 2 / span 2; padding: 2.5rem 2.5rem 2rem; border-inline-start: 1px solid var(--line); }
  .promise { padding: 0 2rem 2.5rem; background: var(--tint); text-align: start; }
}
@media (prefers-reduced-motion: no-preference) {
  .processing > svg { animation: turn 1.2s linear infinite; }
  .busy::before { animation: turn 1.2s linear infinite; }
  @keyframes turn { to { transform: rotate(1turn); } }
}
@media print {
  body, main, .summary { background: none; border: 0; box-shadow: none; }
  a, button, .primary, .secondary, .outcome .aside, details, .promise { display: none; }
}
`;
