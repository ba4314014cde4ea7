/** The colours by name, on a light page and on a dark one. Each `on-` colour is read on the one it names. */
export const colors = {
  page: ["#eef0f4", "#0e1015"],
  sheet: ["#fff", "#181b22"],
  tint: ["#f7f8fb", "#1d2129"],
  text: ["#171a22", "#eceef3"],
  quiet: ["#545b6b", "#a7aebd"],
  line: ["#dde1e9", "#2c313c"],
  edge: ["#7d8596", "#727b8d"],
  accent: ["#2343bf", "#a9bdff"],
  deep: ["#1a3396", "#c6d3ff"],
  "on-accent": ["#fff", "#0f1a45"],
  wrong: ["#b3201a", "#ffa79f"],
  "wrong-tint": ["#fdf1f0", "#35191a"],
  danger: ["#b3201a", "#c8312a"],
  "danger-deep": ["#8c1510", "#a52620"],
  "on-danger": ["#fff", "#fff"],
  good: ["#0d7047", "#6fd8a6"],
  "good-tint": ["#e8f6ef", "#12301f"],
  waiting: ["#7a5200", "#ffdf94"],
  "waiting-tint": ["#fff4d6", "#33270a"],
  test: ["#ffe5a8", "#3b2d08"],
  "on-test": ["#463000", "#ffdf94"],
  "test-line": ["#d9ad4b", "#6d5416"],
  live: ["#8c1510", "#7d120e"],
  "on-live": ["#fff", "#fff"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

/** Sizes of type, distances and corners. */
const sizes = `
  --small: .875rem; --large: 1.125rem; --title: 1.5rem; --huge: 2rem;
  --space-1: .25rem; --space-2: .5rem; --space-3: .75rem; --space-4: 1rem; --space-6: 1.5rem; --space-8: 2rem;
  --corner: .5rem; --large-corner: 1rem;`;

function declareColors(look: 0 | 1): string {
  return Object.entries(colors)
    .map(([name, values]) => `--${name}: ${values[look]};`)
    .join(" ");
}

/** The tokens as custom properties. Printed pages are light. */
export const tokens = `
:root { color-scheme: light dark; ${declareColors(0)} ${sizes} }
@media screen and (prefers-color-scheme: dark) { :root { ${declareColors(1)} } }
@media print { :root { color-scheme: light; } }`;
