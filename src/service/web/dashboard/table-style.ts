/**
 * Tables as wide as their page. Where that is narrow, each row is a card: its name and its state in the first line,
 * then the rest, then its actions.
 */
export const tableStyle = `
.list { container: list / inline-size; background: var(--sheet); border: 1px solid var(--line); border-radius: var(--corner); overflow: clip; }
.sheet > .list, .sheet details > .list { margin-inline: calc(-1 * var(--space-4)); border-width: 1px 0; border-radius: 0; }
.sheet > .list:last-child { margin-bottom: calc(-1 * var(--space-4)); border-bottom: 0; border-radius: 0 0 var(--corner) var(--corner); }
.list table { width: 100%; }
.list th, .list td { padding: .625rem; white-space: nowrap; vertical-align: middle; }
.list tbody th { font-weight: inherit; text-align: start; }
.list thead th { color: var(--quiet); font-weight: 600; background: var(--tint); }
.list tbody tr:last-child > * { border-bottom: 0; }
.list tbody tr:hover { background: var(--tint); }
.list .number { text-align: end; }
.list .row { flex-wrap: nowrap; min-width: 0; }
.list .row > a { min-width: 0; }
.list :is(th, td).any { max-width: 0; width: 33%; }
.text { display: block; overflow: hidden; text-overflow: ellipsis; }
.id { display: inline-block; max-width: 10ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; direction: rtl; vertical-align: bottom; }
a > .id { text-decoration: underline; text-underline-offset: .2em; }
.wraps { display: block; max-width: 42rem; white-space: normal; font-weight: 400; }
@container list (width > 38rem) {
  .list th.any:first-child { width: 44%; }
  .list th.any:first-child ~ .any { width: 26%; }
  .list :is(th, td):first-child { padding-inline-start: var(--space-4); }
  .list :is(th, td):last-child { padding-inline-end: var(--space-4); }
}
@container list (38rem < width <= 66rem) { .list :is(th, td):has(+ .from-wide:last-child) { padding-inline-end: var(--space-4); } }
@container list (38rem < width <= 52rem) { .list :is(th, td):has(+ .from-medium:last-child, + .from-medium + .from-wide:last-child) { padding-inline-end: var(--space-4); } }
@container list (max-width: 66rem) { .list .from-wide { display: none; } }
@container list (max-width: 52rem) { .list .from-medium { display: none; } }
@container list (max-width: 38rem) {
  .list :is(table, tbody), .list tbody :is(th, td) { display: block; }
  .list tbody :is(.from-wide, .from-medium) { display: block; }
  .list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list tbody tr { display: flex; flex-wrap: wrap; align-items: center; gap: var(--space-1) var(--space-4); padding: var(--space-3) var(--space-4); border-bottom: 1px solid var(--line); }
  .list tbody tr:last-child { border-bottom: 0; }
  .list tbody tr:has(> td > .badge, > td > a > .badge)::after { content: ""; order: -1; flex-basis: 100%; margin-top: calc(-1 * var(--space-1)); }
  .list tbody :is(th, td) { padding: 0; border: 0; min-width: 0; white-space: normal; }
  .list tbody :is(th, td).any { max-width: 100%; width: auto; }
  .list tbody th { order: -2; flex: 1 1 auto; font-weight: 600; overflow-wrap: anywhere; }
  .list tbody th.any { flex: 1 1 55%; }
  .list tbody td:has(> .badge), .list tbody td:has(> a > .badge) { display: contents; }
  .list tbody td > .badge, .list tbody td > a:has(> .badge) { order: -1; }
  .list tbody .number { text-align: start; }
  .list tbody td:is(:empty, :has(> :only-child:empty)), .list tbody td > :empty { display: none; }
  .list td[data-label]::before { content: attr(data-label) " "; color: var(--quiet); }
  .list tbody td.actions { order: 1; flex-basis: 100%; padding-top: var(--space-1); }
  .list td.any .wraps { display: inline; overflow-wrap: anywhere; }
  .list tbody .any .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; white-space: normal; overflow-wrap: anywhere; }
}`;
