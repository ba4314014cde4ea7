/** The frame of every page: band, bar, navigation and heading; on a phone one line and a menu. */
export const frameStyle = `
.skip { position: absolute; left: -100vw; padding: var(--space-2) var(--space-4); background: var(--sheet); z-index: 2; }
.skip:focus { left: var(--space-2); top: var(--space-2); }

.band > div, .bar > div, .room { max-width: 90rem; margin-inline: auto; }
.room { box-sizing: content-box; }
.band { padding-inline: var(--space-4); font-size: var(--small); }
.band > div { flex-wrap: nowrap; align-items: center; gap: var(--space-3); }
.band > div > p { padding: 0; }
.band .meaning { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.place { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.bar { background: var(--sheet); border-bottom: 1px solid var(--line); padding: var(--space-2) var(--space-4); }
.bar > div { display: flex; align-items: center; gap: var(--space-2) var(--space-4); }
.account { font-weight: 600; margin-inline-end: auto; min-width: 0; }
.menu.account { max-width: 45%; }
.menu.person { max-width: 35%; }
p.account, .bar .menu > summary > bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.modes ul { display: flex; background: var(--sheet); border: 1px solid var(--edge); border-radius: var(--corner); overflow: clip; }
.modes a { display: block; min-height: 2.75rem; padding: .5625rem var(--space-4); color: var(--text); text-decoration: none; }
.modes a:hover { background: var(--tint); }
.modes [aria-current] { background: var(--text); color: var(--sheet); font-weight: 600; }
.modes :focus-visible { outline-offset: -4px; }

summary { display: flex; align-items: center; gap: var(--space-2); cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; flex: none; width: .5em; height: .5em; margin-inline: auto .125em; border: solid; border-width: 0 2px 2px 0; rotate: 45deg; translate: 0 -.125em; }
[open] > summary::after { rotate: 225deg; translate: 0 .125em; }
.menu { position: relative; min-width: 0; }
.menu > summary { min-height: 2.75rem; padding: .5625rem var(--space-2); border-radius: var(--corner); }
.menu > summary:hover { background: var(--tint); }
.menu > :not(summary) { position: absolute; z-index: 1; inset-inline-end: 0; min-width: min(14rem, 100vw - 2rem); max-width: calc(100vw - 2rem); padding: var(--space-2); background: var(--sheet); border: 1px solid var(--edge); border-radius: var(--corner); box-shadow: 0 .5rem 1.5rem rgb(20 25 45 / .2); }
.menu.account { margin-inline-start: calc(-1 * var(--space-2)); }
.menu.account > :not(summary) { inset-inline: 0 auto; font-weight: 400; }
.menu li a { display: block; padding: var(--space-2) var(--space-3); color: var(--text); text-decoration: none; border-radius: var(--corner); }
.menu li a:hover { background: var(--tint); }
.menu [aria-current] { font-weight: 600; }
.menu .quiet { width: 100%; padding-inline: calc(var(--space-3) - 1px); justify-content: start; color: var(--text); }
.person { margin-inline-end: calc(-1 * var(--space-2)); }
.role { flex: none; color: var(--quiet); font-size: var(--small); }
.band .menu > summary:hover { background: none; text-decoration: underline; }
.whole-menu > div { display: grid; gap: var(--space-3); font-size: 1rem; color: var(--text); max-height: calc(100vh - 4rem); overflow-y: auto; }
.whole-menu :focus-visible { outline-color: var(--accent); outline-offset: -3px; }
.whole-menu > summary:focus-visible { outline-color: currentColor; }
.whole-menu .modes ul { display: grid; grid-template-columns: 1fr 1fr; text-align: center; }
.whole-menu > div > * + * { border-top: 1px solid var(--line); padding-top: var(--space-3); }
.who { padding: 0 var(--space-3); overflow-wrap: anywhere; }

.room { padding: 0 var(--space-4) var(--space-8); }
.sections, .bar { display: none; }
.sections a { display: block; padding: .625rem var(--space-3); color: var(--quiet); text-decoration: none; border-inline-start: 3px solid transparent; border-radius: 0 var(--corner) var(--corner) 0; }
.sections a:hover { color: var(--text); }
.sections [aria-current] { color: var(--text); font-weight: 600; border-color: var(--accent); }
.sections :focus-visible { outline-offset: -4px; }
main { display: grid; grid-template-columns: minmax(0, 1fr); align-content: start; gap: var(--space-4); padding-top: var(--space-6); --around: 2.25rem; }
main.narrow { max-width: 46rem; }
main:focus { outline: none; }
.head { display: flex; min-height: 2.75rem; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--space-4); }
.head h1 { display: flex; flex-wrap: wrap; align-items: center; gap: 0 var(--space-3); min-width: 0; }
.head h1 > * { min-width: 0; }
.head .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.back { margin-bottom: calc(-1 * var(--space-3)); font-size: var(--small); }
.back a { display: inline-block; padding: var(--space-2) 0; color: var(--quiet); text-decoration: none; }
.back a::before { content: ""; display: inline-block; width: .5em; height: .5em; margin-inline: .125em .5em; border: solid; border-width: 0 0 2px 2px; rotate: 45deg; translate: 0 -.0625em; }
.back a:hover { color: var(--text); text-decoration: underline; }
.unframed { max-width: 32rem; margin: 0 auto; padding: var(--space-8) var(--space-4); }
.product { color: var(--quiet); font-weight: 600; }
.unframed .primary { width: 100%; }
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
}`;
