// Prints how this service compares, side by side in one run: ratios of medians. Machines differ and
// are noisy, ratios much less. A ratio that misses its floor fails the run.
//   npm run bench            all of it, about twenty minutes
//   npm run bench -- pages   one part: throughput, postgres, postgres-writes, pages, accounts, webhooks,
//                          search-beside-creates, deliveries, webhook-fairness, request-log, dashboard, start-up,
//                          memory, service-memory, allocation or pages-written
//   npm run bench -- cost    what each stage of a request costs, of which PAYMENTS_STAGES chooses some
//   npm run bench -- reconcile, report, dashboard-pages, search, search-postgres or search-creates: these and cost take
//                          long, and run by their names alone
// postgres-writes and search-beside-creates need wrk (apt-get install wrk).
import { measureAccounts } from "./accounts.ts";
import { measureAllocation } from "./allocation.ts";
import { measureCost } from "./cost.ts";
import { measureDashboardPages } from "./dashboard-pages.ts";
import { measureDashboard } from "./dashboard.ts";
import type { Figure } from "./figure.ts";
import { measureMemory } from "./memory.ts";
import { measureServiceMemory } from "./service-memory.ts";
import { measurePages } from "./pages.ts";
import { measurePagesWritten } from "./pages-written.ts";
import { measurePostgres } from "./postgres.ts";
import { measurePostgresWrites } from "./postgres-writes.ts";
import { measureReconcile } from "./reconcile.ts";
import { measureReport } from "./report.ts";
import { measureRequestLog } from "./request-log.ts";
import { measureSearchBesideCreates } from "./search-beside-creates.ts";
import { measureSearchCreates } from "./search-creates.ts";
import { measureSearch, measureSearchOnPostgres } from "./search.ts";
import { measureStartUp } from "./start-up.ts";
import { measureThroughput } from "./throughput.ts";
import { measureWebhookFairness } from "./webhook-fairness.ts";
import { measureDeliveries, measureWebhooks } from "./webhooks.ts";

const parts: Record<string, () => Promise<Figure[]>> = {
  throughput: measureThroughput,
  postgres: measurePostgres,
  "postgres-writes": measurePostgresWrites,
  pages: measurePages,
  accounts: measureAccounts,
  "search-beside-creates": measureSearchBesideCreates,
  webhooks: measureWebhooks,
  deliveries: measureDeliveries,
  "webhook-fairness": measureWebhookFairness,
  "request-log": measureRequestLog,
  dashboard: measureDashboard,
  "start-up": measureStartUp,
  memory: measureMemory,
  "service-memory": measureServiceMemory,
  allocation: measureAllocation,
  "pages-written": measurePagesWritten,
  cost: measureCost,
  reconcile: measureReconcile,
  report: measureReport,
  "dashboard-pages": measureDashboardPages,
  search: measureSearch,
  "search-postgres": measureSearchOnPostgres,
  "search-creates": measureSearchCreates,
};
const byNameAlone = new Set([
  "cost",
  "reconcile",
  "report",
  "dashboard-pages",
  "search",
  "search-postgres",
  "search-creates",
]);

const names = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts)) {
  if (names.length > 0 ? !names.includes(name) : byNameAlone.has(name)) continue;
  console.log(`\n${name}`);
  const figures = await measure();
  console.table(
    Object.fromEntries(
      figures.map(({ what, ratio, ...rest }) => [what, { ...rest, ratio: ratio.toFixed(2) }]),
    ),
  );
  for (const { what, ratio, floor } of figures.filter((figure) => !meetsFloor(figure))) {
    console.log(`${what}: ${ratio.toFixed(2)} is not ${floor}.`);
    process.exitCode = 1;
  }
}

/** A floor is written `≥ 0.5` or `≤ 1.3`; some figures have none. */
function meetsFloor({ ratio, floor }: Figure): boolean {
  const limit = Number(floor.slice(2));
  return floor === "" || (floor.startsWith("≥") ? ratio >= limit : ratio <= limit);
}
