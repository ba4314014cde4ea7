/** Light and dark, from 320 px on, without a font or a picture of its own. */
export const paymentPageStyle = `
:root {
  color-scheme: light dark;
  --page: #eef0f4; --sheet: #fff; --tint: #f7f8fb; --text: #171a22; --quiet: #545b6b;
  --line: #dde1e9; --edge: #7d8596; --accent: #2343bf; --deep: #1a3396; --on-accent: #fff;
  --wrong: #b3201a; --wrong-tint: #fdf1f0; --good: #0d7047;
  --test: #ffe5a8; --on-test: #463000; --test-line: #d9ad4b;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0e1015; --sheet: #181b22; --tint: #1d2129; --text: #eceef3; --quiet: #a7aebd;
    --line: #2c313c; --edge: #727b8d; --accent: #a9bdff; --deep: #c6d3ff; --on-accent: #0f1a45;
    --wrong: #ffa79f; --wrong-tint: #35191a; --good: #6fd8a6;
    --test: #3b2d08; --on-test: #ffdf94; --test-line: #6d5416;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; grid-template: auto 1fr / minmax(0, 1fr);
  background: var(--sheet); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
}
h1, h2, p { margin: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.test { background: var(--test); color: var(--on-test); border-bottom: 1px solid var(--test-line); padding: .25rem 1.25rem; font-size: .9375rem; }
.test > div { display: flex; flex-wrap: wrap; column-gap: 1.5rem; max-width: 56rem; margin-inline: auto; }
.test > div > p { padding: .6875rem 0; }
details[open] { width: 100%; }
.test strong { font-size: .8125rem; letter-spacing: .06em; text-transform: uppercase; margin-inline-end: .375rem; }
.test :focus-visible { outline-color: currentColor; }
summary { cursor: pointer; width: fit-content; padding: .6875rem 0; text-decoration: underline; text-underline-offset: .2em; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .875rem; }
th, td { text-align: start; vertical-align: top; padding: .375rem 1.25rem .375rem 0; border-bottom: 1px solid var(--test-line); }
code { font: inherit; font-variant-numeric: tabular-nums; white-space: nowrap; user-select: all; margin-inline-end: .5rem; }

main { grid-row: 2; width: 100%; margin: 0 auto; }
h1 { font-size: 1rem; font-weight: 400; color: var(--quiet); }
.merchant { color: var(--text); font-weight: 600; overflow-wrap: anywhere; }
.summary { padding: 1.5rem 1.25rem; background: var(--tint); border-bottom: 1px solid var(--line); }
.entry { padding: 1.5rem 1.25rem .75rem; }
.amount { display: block; color: var(--text); font-size: 2.5rem; line-height: 1.15; font-weight: 700; letter-spacing: -.02em; overflow-wrap: anywhere; }
.long { font-size: 1.75rem; }
.longest { font-size: 1.25rem; }
.code { font-size: 1rem; font-weight: 400; letter-spacing: 0; color: var(--quiet); }
.description { margin-top: .5rem; color: var(--quiet); overflow-wrap: anywhere; overflow: hidden; }

h2 { font-size: 1.125rem; line-height: 1.3; margin-bottom: 1rem; }
.notice { margin-bottom: 1rem; padding: .75rem 1rem; border: 1px solid var(--wrong); border-radius: .5rem; background: var(--wrong-tint); font-size: .9375rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); column-gap: 1rem; }
.field { margin-bottom: 1rem; display: grid; grid-row: span 3; grid-template-rows: subgrid; align-content: start; }
.above { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: .75rem; align-content: start; }
label { font-weight: 600; }
label span { font-weight: 400; color: var(--quiet); }
.hint { align-self: start; color: var(--quiet); font-size: .875rem; width: 100%; }
#brand { color: var(--quiet); font-size: .9375rem; }
input { width: 100%; height: 3rem; margin-top: .25rem; padding: 0 .875rem; font: inherit; font-variant-numeric: tabular-nums; color: inherit; background: var(--sheet); border: 1px solid var(--edge); border-radius: .5rem; }
input:focus-visible { outline-width: 2px; outline-offset: 1px; }
[aria-invalid] { border: 2px solid var(--wrong); padding: 0 .8125rem; }
.mistake { margin-top: .25rem; color: var(--wrong); font-size: .9375rem; font-weight: 600; overflow-wrap: anywhere; }

.primary, .quiet { display: flex; align-items: center; justify-content: center; gap: .5rem; width: 100%; padding: .625rem 1rem; font: inherit; border: 1px solid transparent; border-radius: .5rem; cursor: pointer; overflow-wrap: anywhere; }
.primary { min-height: 3.25rem; margin-top: .5rem; background: var(--accent); color: var(--on-accent); font-weight: 600; font-size: 1.0625rem; text-decoration: none; }
.primary svg { flex: none; }
.primary:hover { background: var(--deep); }
.quiet { min-height: 2.75rem; margin-top: .5rem; background: none; color: var(--quiet); }
.quiet:hover { color: var(--text); text-decoration: underline; text-underline-offset: .2em; }
:disabled { cursor: default; opacity: .65; }
.promise { padding: 0 1.25rem 1.5rem; text-wrap: balance; text-align: center; color: var(--quiet); font-size: .875rem; }

.outcome { padding: 3rem 1.25rem; text-align: center; max-width: 30rem; }
.outcome h1 { margin: .75rem 0 .25rem; color: inherit; font-size: 1.5rem; font-weight: 700; line-height: 1.25; }
.outcome .description { margin-bottom: 1rem; }
.outcome p { margin-top: .5rem; text-wrap: balance; }
.outcome .primary { margin-top: 1.5rem; }
.outcome > svg { color: var(--quiet); }
.paid > svg { color: var(--good); }
.declined > svg { color: var(--wrong); }
.reason { font-weight: 600; overflow-wrap: anywhere; }
.track { opacity: .25; }

@media (min-width: 40rem) {
  body { background: var(--page); }
  main { align-self: center; margin: 1.5rem auto; border: 1px solid var(--line); border-radius: 1rem; overflow: hidden; background: var(--sheet); box-shadow: 0 1rem 3rem -1.5rem rgb(20 25 45 / .25); }
  .open { max-width: 28rem; }
  .outcome, .summary { padding: 2rem; }
  .entry { padding: 2rem 2rem 1rem; }
}
@media (min-width: 60rem) {
  .open { display: grid; grid-template: 1fr auto / 2fr 3fr; max-width: 56rem; }
  .summary { grid-area: 1 / 1 / span 2; padding: 2.5rem 2rem; border-bottom: 0; border-inline-end: 1px solid var(--line); }
  .entry { grid-area: 1 / 2 / span 2; padding: 2.5rem 2.5rem 2rem; }
  .promise { grid-area: 2 / 1; padding: 0 2rem 2.5rem; text-align: start; }
}
@media (prefers-reduced-motion: no-preference) {
  .processing > svg { animation: turn 1.2s linear infinite; }
  .primary { transition: background-color .15s; }
  @keyframes turn { to { transform: rotate(1turn); } }
}
@media (forced-colors: active) {
  .primary { border-color: currentColor; }
  :disabled { opacity: 1; }
}
@media print {
  :root { color-scheme: light; }
  body, main, .summary { background: none; border: 0; box-shadow: none; }
  .primary, .quiet, details, .promise { display: none; }
}
`;
