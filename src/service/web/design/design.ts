import { tokens } from "./tokens.ts";

/**
 * The CSS that the pages for customers and for operators share: the style of each takes the parts that its pages
 * use, and adds its own layout. Light and dark, without a font or a picture of its own.
 */
export const design = {
  /** Colours, sizes of type, distances and corners. */
  tokens,

  /** Type, links, tables and the focus ring. `visually-hidden` is for screen readers alone. */
  base: `
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--sheet); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
}
[hidden] { display: none !important; }
h1, h2, p { margin: 0; }
p { text-wrap: pretty; }
h1 { font-size: var(--title); line-height: 1.25; }
h2 { font-size: var(--large); line-height: 1.3; }
a { color: var(--accent); text-underline-offset: .2em; }
table { border-collapse: collapse; font-size: var(--small); font-variant-numeric: tabular-nums; }
th, td { text-align: start; vertical-align: top; padding: .375rem 1.25rem .375rem 0; border-bottom: 1px solid var(--line); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }`,

  /**
   * An amount, an id or a time stays on one line, and becomes smaller in a container that is too narrow for it. `--ems`
   * is the width of the longest text of its class, `--around` that of other content in the container.
   */
  oneLine: `
main { container-type: inline-size; }
.one-line {
  --ems: 7; --size: 1em; font-size: min(var(--size), calc((100cqi - var(--around, 0rem)) / var(--ems)));
  white-space: nowrap;
}
.one-line.middling { --ems: 10; }
.one-line.long { --ems: 13.5; }
.one-line.longer { --ems: 16.5; }
.one-line.longest { --ems: 20; }
time.one-line { --ems: 16; }
code.one-line { --ems: 25; --size: .9375em; }`,

  /** Buttons, and links that look like them. One `primary` a page; `dangerous` cannot be undone. */
  buttons: `
.primary, .secondary, .quiet, .dangerous {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--space-2);
  min-height: 2.75rem; padding: var(--space-2) var(--space-4); border: 1px solid transparent; border-radius: var(--corner);
  background: none; color: var(--text); font: inherit; text-decoration: none; overflow-wrap: anywhere; cursor: pointer;
}
.primary { background: var(--accent); color: var(--on-accent); font-weight: 600; }
.primary:hover { background: var(--deep); }
.secondary { background: var(--sheet); border-color: var(--edge); }
.secondary:hover { background: var(--tint); }
.quiet { color: var(--quiet); }
.quiet:hover { color: var(--text); text-decoration: underline; text-underline-offset: .2em; }
.dangerous { background: var(--danger); color: var(--on-danger); font-weight: 600; }
.dangerous:hover { background: var(--danger-deep); }
:disabled { cursor: default; opacity: .65; }
@media (prefers-reduced-motion: no-preference) {
  .primary, .secondary, .dangerous { transition: background-color .15s; }
}
@media (forced-colors: active) {
  .primary, .dangerous { border-color: currentColor; }
  :disabled { opacity: 1; }
}`,

  /** A label and its hint above an input, and below it the mistake in it. */
  inputs: `
label { font-weight: 600; }
.optional { font-weight: 400; color: var(--quiet); }
.hint { color: var(--quiet); font-size: var(--small); }
input:not([type=checkbox], [type=radio]), select, textarea {
  width: 100%; min-height: 2.75rem; margin-top: var(--space-1); padding: var(--space-2) .875rem;
  font: inherit; font-variant-numeric: tabular-nums; color: inherit; background: var(--sheet);
  border: 1px solid var(--edge); border-radius: var(--corner); text-overflow: ellipsis;
}
select {
  appearance: none; padding-inline-end: 2.25rem;
  background: no-repeat var(--sheet);
  background-image: linear-gradient(45deg, transparent 42%, currentColor 42% 60%, transparent 60%), linear-gradient(-45deg, transparent 42%, currentColor 42% 60%, transparent 60%);
  background-size: .45em .45em; background-position: right 1.15em center, right .8em center;
}
::placeholder { color: var(--quiet); opacity: 1; }
:is(input, select, textarea):focus-visible { outline-width: 2px; outline-offset: 1px; }
:is(input, select, textarea)[aria-invalid=true] { border: 2px solid var(--wrong); padding-inline: calc(.875rem - 1px); }
.mistake { margin-top: var(--space-1); color: var(--wrong); font-size: var(--small); font-weight: 600; overflow-wrap: anywhere; }`,

  /** A message at the top of a page: an error, or `good` or `waiting`. */
  notices: `
.notice { padding: var(--space-3) var(--space-4); border: 1px solid var(--wrong); border-radius: var(--corner); background: var(--wrong-tint); }
.notice.good { border-color: var(--good); background: var(--good-tint); }
.notice.waiting { border-color: var(--waiting); background: var(--waiting-tint); }`,

  /** A state in one word: `good`, `waiting`, `wrong`, or without colour. */
  badges: `
.badge {
  display: inline-block; padding: 0 var(--space-2); border: 1px solid currentColor; border-radius: var(--corner);
  background: var(--tint); color: var(--quiet); font-size: var(--small); font-weight: 600; white-space: nowrap;
}
.badge.good { background: var(--good-tint); color: var(--good); }
.badge.waiting { background: var(--waiting-tint); color: var(--waiting); }
.badge.wrong { background: var(--wrong-tint); color: var(--wrong); }`,

  /**
   * The band above every page of a mode. The live one also differs without colour: its word is framed, and a double
   * line ends it.
   */
  bands: `
.band { padding: var(--space-1) 1.25rem; }
.band > div { display: flex; flex-wrap: wrap; column-gap: var(--space-6); max-width: 56rem; margin-inline: auto; }
.band > div > p { padding: .6875rem 0; }
.band strong { font-size: var(--small); letter-spacing: .06em; text-transform: uppercase; margin-inline-end: .375rem; }
.band :focus-visible { outline-color: currentColor; }
.band.test { background: var(--test); color: var(--on-test); border-bottom: 1px solid var(--test-line); }
.band.live { background: var(--live); color: var(--on-live); border-bottom: 6px double; }
.band.live strong { padding: 0 var(--space-2); border: 2px solid; border-radius: var(--space-1); }`,
};
