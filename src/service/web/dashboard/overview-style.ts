/** The layout of the overview: figures, charts and bars. Its colours are those of all pages. */
export const overviewStyle = `
.tiles { display: flex; flex-wrap: wrap; gap: var(--space-3); margin: 0; }
.tiles > div { flex: 1 1 calc(50% - var(--space-3)); gap: 0; align-content: start; padding: var(--space-3); grid-template-columns: minmax(min-content, 1fr); }
.tiles dt { color: var(--quiet); font-size: var(--small); font-weight: 600; }
.tiles dd { margin: 0; }
.figure { font-size: 1rem; font-weight: 700; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.broken { display: grid; gap: var(--space-2); margin-top: var(--space-1); }
.broken li { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); min-width: 0; }
.broken .text { white-space: nowrap; }
.charts { display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-3); }
.chart { margin: 0; align-content: start; }
.chart, .part > .sheet { container-type: inline-size; }
.chart h2, .part h2 { font-size: 1rem; }
.plot { margin-top: var(--space-2); display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--space-1) var(--space-2); }
.lines { display: flex; flex-direction: column; justify-content: space-between; margin-block: -.65rem; line-height: 1.3rem; text-align: end; font-variant-numeric: tabular-nums; }
.bars { width: 100%; height: 12rem; border-bottom: 1px solid var(--edge); overflow: visible; }
.bars line { stroke: var(--line); shape-rendering: crispEdges; }
.bars rect { fill: transparent; }
.bars rect:first-of-type { width: 100%; height: 100%; }
.bars rect + rect { x: 12%; width: 76%; }
.bars rect + rect, .ranks .value { fill: var(--accent); }
.bars .partial rect + rect { fill-opacity: .3; stroke: var(--accent); stroke-dasharray: 3 2; }
.bars svg:is(:hover, .shown) rect { fill: var(--line); }
.bars svg:is(:hover, .shown) rect + rect { fill: var(--deep); }
.key svg { flex: none; width: .75rem; height: .875rem; border: 0; }
.dates { grid-column: 2; width: 100%; height: 1.25rem; overflow: visible; fill: var(--quiet); }
.dates text { font-size: var(--small); }
@container (max-width: 30rem) { .dates .spare { display: none; } }
@container (max-width: 26rem) { .chart [data-value] { flex-basis: 100%; } }
.figures { --around: 46rem; width: 100%; font-variant-numeric: tabular-nums; }
.figures :is(th, td) { padding: .375rem 0 .375rem var(--space-3); text-align: end; }
.figures :is(th, td):first-child { padding-inline-start: 0; text-align: start; }
.figures tbody th { font-weight: inherit; }
.figures thead th { color: var(--quiet); }
.figures tbody tr:hover { background: var(--tint); }
@container (max-width: 60rem) { .figures { --around: 22rem; } .figures :nth-child(n + 6):is(th, td) { display: none; } }
@container (max-width: 38rem) { .figures { --around: 12.75rem; } .figures :nth-child(n + 4):is(th, td) { display: none; } }
@container (max-width: 38rem) {
  .figures:has(.long, .longer, .longest) { --around: 4rem; }
  .figures:has(.long, .longer, .longest) :is(thead, tbody) { display: block; }
  .figures:has(.long, .longer, .longest) tr { display: flex; flex-wrap: wrap; justify-content: space-between; border-bottom: 1px solid var(--line); }
  .figures:has(.long, .longer, .longest) tr > * { padding: .25rem 0; border: 0; }
  .figures:has(.long, .longer, .longest) tr > :first-child { flex-basis: 100%; }
}
@container (max-width: 16rem) {
  .figures { --around: 4rem; }
  .figures :is(thead, tbody) { display: block; }
  .figures tr { display: flex; flex-wrap: wrap; justify-content: space-between; border-bottom: 1px solid var(--line); }
  .figures tr > * { padding: .25rem 0; border: 0; }
  .figures tr > :first-child { flex-basis: 100%; }
}
.ranks { margin: 0; padding: 0; list-style: none; display: grid; grid-template-columns: minmax(0, 1fr); gap: var(--space-4); }
.ranks svg { display: block; width: 100%; height: .375rem; margin-top: var(--space-1); border-radius: .25rem; }
.ranks rect { fill: var(--line); }
.ranks .number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.ranks .row { flex-wrap: nowrap; align-items: baseline; }
.ranks code { font-size: inherit; }
.part > :first-child { min-height: 1.75rem; line-height: 1.75rem; }
.part { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: var(--space-3); }
.menu.period > form { padding: var(--space-4); }
.menu.period summary { display: inline-flex; padding-inline: var(--space-4); }
.periods { position: relative; }
.periods .modes ul { flex-wrap: wrap; }
.menu.period { position: static; }
.menu.period > form { inset-inline: 0; }
@media (max-width: 26rem) { .periods :is(.modes a, summary) { padding-inline: var(--space-3); font-size: var(--small); line-height: 1.625rem; } }
@media (min-width: 40rem) { .menu.period { position: relative; } .menu.period > form { inset-inline: 0 auto; } }
@container (min-width: 52rem) { .tiles > div { flex-basis: 9rem; } }
@container (min-width: 40rem) { .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (min-width: 40rem) { .figure { font-size: var(--title); } .tiles > div { padding: var(--space-4); } }
@media (forced-colors: active) {
  .bars rect + rect, .ranks .value { fill: CanvasText; }
  .bars .partial rect + rect { stroke: CanvasText; }
  .bars line, .ranks rect { fill: none; stroke: GrayText; }
  .bars svg:is(:hover, .shown) rect + rect { fill: Highlight; }
  .dates { fill: CanvasText; }
}
@media print { .modes { display: none; } }
`;
