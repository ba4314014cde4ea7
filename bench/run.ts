// Prints how this service compares, side by side in one run: ratios of medians. Machines differ and
// are noisy, ratios much less; so these are figures to look at, not tests.
//   npm run bench            all of it, about six minutes
//   npm run bench -- pages   one part: throughput, pages, start-up or memory
import { measureMemory } from "./memory.ts";
import { measurePages } from "./pages.ts";
import { measureStartUp } from "./start-up.ts";
import { measureThroughput } from "./throughput.ts";

export type Figure = { what: string; ours: string; compared: string; ratio: number; floor: string };

const parts: Record<string, () => Promise<Figure[]>> = {
  throughput: measureThroughput,
  pages: measurePages,
  "start-up": measureStartUp,
  memory: measureMemory,
};

const asked = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`\n${name}`);
  const figures = await measure();
  console.table(
    Object.fromEntries(
      figures.map(({ what, ratio, ...rest }) => [what, { ...rest, ratio: ratio.toFixed(2) }]),
    ),
  );
}
