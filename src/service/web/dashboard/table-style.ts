/**
 * Tables as wide as their page. Where that is narrow, each row is a card: its name and its state in the first line,
 * then the rest, then its actions.
 */
export const tableStyle = String.raw`
.list { container: list / inline-size; background: var(--sheet); border: 1px solid var(--line); border-radius: var(--corner); overflow: clip; }
.sheet > .list, .sheet details > .list { margin-inline: calc(-1 * var(--space-4)); border-width: 1px 0; border-radius: 0; }
.sheet > .list:last-child { margin-bottom: calc(-1 * var(--space-4)); border-bottom: 0; border-radius: 0 0 var(--corner) var(--corner); }
.list table { width: 100%; }
.list th, .list td { padding: .625rem; white-space: nowrap; vertical-align: baseline; }
.list tbody th { font-weight: inherit; text-align: start; }
.list thead th { color: var(--quiet); font-weight: 600; background: var(--tint); }
.list tbody tr:last-child > * { border-bottom: 0; }
.list tbody tr:hover { background: var(--tint); }
.list .number { text-align: end; }
.list .row { flex-wrap: nowrap; min-width: 0; }
.list .row > a { min-width: 0; }
.own { flex: none; color: var(--quiet); margin-inline-start: calc(-1 * var(--space-2)); font-weight: 400; }
.list :is(th, td).any { max-width: 0; width: 33%; }
.text { display: block; overflow: hidden; text-overflow: ellipsis; text-align: left; }
a > .text { text-decoration: inherit; }
.id { white-space: nowrap; }
.reason { margin-inline-start: var(--space-1); color: var(--quiet); font-size: var(--small); }
.pair > * { min-width: 0; }
.wraps, .entire { display: block; max-width: 42rem; white-space: normal; font-weight: 400; }
@container list (width > 48rem) {
  .list th.any:first-child { width: 44%; }
  .list td .wraps { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  .list .actions .row { gap: var(--space-6); }
  .list th.any:first-child ~ .any { width: 26%; }
  .list :is(th, td):first-child { padding-inline-start: var(--space-4); }
  .list :is(th, td):last-child { padding-inline-end: var(--space-4); }
  .list wbr { display: none; }
  .list tr:has(> .any) > :not(.any) { width: 1%; }
}
@container list (48rem < width <= 58rem) {
  .list thead .beneath { display: none; }
  .list tbody .beneath { color: var(--quiet); }
}
@container list (max-width: 58rem) { .list .beneath[data-label]::before { content: attr(data-label) " "; color: var(--quiet); } }
@container list (width > 58rem) {
  .list td.any:has(> .pair), .list thead .any:not(:first-child):has(> .pair) { width: 40%; }
  .pair { display: flex; gap: 1.25rem; }
  .pair > * { flex: 2 1 0; }
  .pair > :empty::before { content: "\200b"; }
  .pair > .beneath { flex-grow: 1; }
}
@container list (max-width: 48rem) {
  .list :is(table, tbody), .list tbody :is(th, td) { display: block; }
  .list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: var(--space-1) var(--space-4); padding: var(--space-3) var(--space-4); border-bottom: 1px solid var(--line); }
  .list tbody tr:last-child { border-bottom: 0; }
  .list tbody tr:has(> td > .badge, > td > a > .badge)::after { content: ""; order: -1; flex-basis: 100%; margin-top: calc(-1 * var(--space-1)); }
  .list tbody :is(th, td) { padding: 0; border: 0; min-width: 0; white-space: normal; }
  .list tbody :is(.any, td .pair > *) { max-width: 100%; width: auto; flex: 1 1 6rem; }
  .list tbody :is(th, th .pair > :first-child) { order: -2; flex: 1 1 0; min-width: 35%; font-weight: 600; overflow-wrap: anywhere; }
  .list tbody tr:not(:has(.badge)) :is(th, th .pair > :first-child) { flex-basis: 100%; }
  .list tbody :is(th, td):has(> .pair), .pair { display: contents; }
  .list th .beneath { font-weight: 400; }
  .list tbody .pair > :is([data-label], .wraps) { flex: 0 1 auto; }
  .list tbody .badge { white-space: normal; }
  .list tbody td:has(> .badge), .list tbody td:has(> a > .badge) { display: contents; }
  .list tbody td > .badge, .list tbody td > a:has(> .badge) { order: -1; }
  .list tbody .badge + .reason { order: -1; flex-basis: 100%; margin: 0; }
  .list tbody .number { text-align: start; }
  .list tbody td:is(:empty, :has(> :only-child:empty)), .list tbody :is(td, .pair) > :empty { display: none; }
  .list td[data-label]::before { content: attr(data-label) " "; color: var(--quiet); }
  .list td.actions { order: 1; margin-inline-start: auto; }
  .list .actions .row { gap: var(--space-6); }
  .list .actions :is(a, .link) { padding-block: .625rem; margin-block: -.625rem; }
  .list tbody :is(.text, .wraps) { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden; white-space: normal; overflow-wrap: anywhere; }
  .list tbody :is(th > .text, th .pair > :not(.beneath) .text, th .pair > .text, .wraps) { -webkit-line-clamp: 2; }
  .list tbody .text:dir(rtl) { display: block; white-space: nowrap; }
}`;
