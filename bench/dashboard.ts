import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Request } from "autocannon";
import { openBoundService } from "../test/testkit/service/bind-use-cases.ts";
import { createBody, type Figure, median } from "./figure.ts";
import { type Rate, compareRates, measureRate, medianRate } from "./rate.ts";
import { seed } from "./seed.ts";
import { startPayments, stop } from "./service-process.ts";

const [few, many] = [1_000, 1_000_000];
const overviews = 300;
const rounds = 5;
const load = { connections: 32, seconds: 1 };

/** The overview of a million payments against that of a thousand, and creates while others are counted. */
export async function measureDashboard(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const file = (name: string) => join(folder, `${name}.db`);
  await seed(`sqlite:${file("few")}`, few, 1, (1_000 * many) / few);
  await seed(`sqlite:${file("many")}`, many);
  cpSync(file("many"), file("uncounted"));
  const figures = [
    ...(await measureOverviews(`sqlite:${file("few")}`, `sqlite:${file("many")}`)),
    await measureCreates(`sqlite:${file("many")}`, `sqlite:${file("uncounted")}`),
  ];
  rmSync(folder, { recursive: true });
  return figures;
}

/** The databases' payments are of the same days, and all are counted but in the one that says otherwise. */
async function measureOverviews(fewAt: string, manyAt: string): Promise<Figure[]> {
  const uncountedMs = await overviewMs([fewAt], false);
  const [fewMs = 0, manyMs = 0] = await overviewMs([fewAt, manyAt], true);
  const compared = `of ${few} ${fewMs.toFixed(2)} ms`;
  const figure = (what: string, ms: number, floor: string): Figure => ({
    what,
    ours: `${ms.toFixed(2)} ms`,
    compared,
    ratio: ms / fewMs,
    floor,
  });
  return [
    figure(`overview of ${many} payments`, manyMs, "≤ 1.2"),
    figure(`overview of ${few} that are not counted yet`, uncountedMs[0] ?? 0, ""),
  ];
}

/** The time of an overview of each, measured in turn. */
async function overviewMs(databases: string[], isCounted: boolean): Promise<number[]> {
  const opened = await Promise.all(
    databases.map(async (database) => {
      const { service, close } = await openBoundService({ database }, { totalsLagMs: 0 });
      if (isCounted) await service.countTotals();
      const accountId = (await service.listAccounts())[0]?.id ?? "";
      const readOverview = async () => service.getOverview({ accountId, livemode: false });
      return { readOverview, close, timesMs: [] as number[] };
    }),
  );
  for (let round = 0; round < overviews; round++) {
    for (const { readOverview, timesMs } of opened) {
      const startMs = performance.now();
      await readOverview();
      timesMs.push(performance.now() - startMs);
    }
  }
  for (const [index, { readOverview, close }] of opened.entries()) {
    const { payments } = (await readOverview()).totals;
    if (payments !== [few, many][index]) throw new Error(`An overview of ${payments}.`);
    await close();
  }
  return opened.map(({ timesMs }) => median(timesMs));
}

/** One of the two services still has a million payments to count. */
async function measureCreates(counted: string, uncounted: string): Promise<Figure> {
  const services = await Promise.all([startPayments(counted), startPayments(uncounted)]);
  const rates: [Rate[], Rate[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const [index, service] of services.entries()) {
      const authorization = `Bearer ${service.key}`;
      const headers = { authorization, "content-type": "application/json" };
      const request: Request = { method: "POST", path: "/v1/payments", body: createBody, headers };
      const rate = await measureRate(service, request, load);
      if (round >= 0) rates[index]?.push(rate); // the first one warms up
    }
  }
  await Promise.all(services.map(stop));
  await requireLeft(uncounted);
  const [atRest, atWork] = [medianRate(rates[0]), medianRate(rates[1])];
  const what = `create while ${many} payments are counted`;
  return compareRates(what, atWork, "while none are", atRest, "≥ 0.7");
}

/** The measurement is void if the counting ended before it. */
async function requireLeft(database: string): Promise<void> {
  const { service, close } = await openBoundService({ database });
  const accountId = (await service.listAccounts())[0]?.id ?? "";
  const { totals } = await service.getOverview({ accountId, livemode: false });
  await close();
  if (totals.payments < many) return;
  throw new Error("All payments were counted before the measuring was over.");
}
