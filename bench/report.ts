import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PaymentsReport } from "../src/contract/account.ts";
import { reportPeriods } from "../src/contract/field-values.ts";
import { openBoundService } from "../test/testkit/service/bind-use-cases.ts";
import { countAll } from "./count-all.ts";
import { type Figure, median } from "./figure.ts";
import { loadPayments } from "./load-payments.ts";
import { createSearchedPayments } from "./searched-payments.ts";

/** PAYMENTS_REPORT_SIZE=1000000 tries it with fewer. */
const many = Number(process.env["PAYMENTS_REPORT_SIZE"] ?? 10_000_000);
/**
 * A report reads a total for each day, currency and outcome: of ten thousand payments not every day has every outcome,
 * of a hundred thousand nearly all have.
 */
const sizes = [10_000, 100_000, many];
const [sparse, dense] = [0, 1];
const rounds = 100;
const dayMs = 24 * 60 * 60 * 1_000;

/** A report of a year of many payments against those of few, whose payments are of the same days. */
export async function measureReport(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const opened = [];
  for (const count of sizes) {
    const database = `sqlite:${join(folder, `${count}.db`)}`;
    await loadPayments(database, createSearchedPayments(count, Date.now()));
    await countAll(database);
    const { service, close } = await openBoundService({ database });
    const [account] = await service.listAccounts();
    const scope = { accountId: account?.id ?? "", livemode: false };
    opened.push({ count, service, scope, close });
  }
  const from = new Date(Date.now() - 365 * dayMs).toISOString().slice(0, 10);
  const figures: Figure[] = [];
  for (const by of reportPeriods) {
    const timesMs = new Map<number, number[]>();
    for (let round = -5; round < rounds; round++) {
      for (const { count, service, scope } of opened) {
        const startMs = performance.now();
        const report = await service.getReport(scope, { from, by });
        const ms = performance.now() - startMs;
        requireHalf(report, count);
        if (round >= 0) timesMs.set(count, [...(timesMs.get(count) ?? []), ms]); // the first ones warm up
      }
    }
    const medians = sizes.map((count) => median(timesMs.get(count) ?? []));
    const manyMs = medians.at(-1) ?? 0;
    for (const [index, floor] of [
      [sparse, ""],
      [dense, "≤ 2"],
    ] as const) {
      const fewMs = medians[index] ?? 0;
      figures.push({
        what: `report of a year by ${by}: ${many} payments, ${sizes[index]}`,
        ours: `${manyMs.toFixed(2)} ms`,
        compared: `${fewMs.toFixed(2)} ms`,
        ratio: manyMs / fewMs,
        floor,
      });
    }
  }
  for (const { close } of opened) await close();
  rmSync(folder, { recursive: true });
  return figures;
}

/** The payments are of two years. */
function requireHalf({ data }: PaymentsReport, count: number): void {
  const share = data.reduce((sum, { payments }) => sum + payments, 0) / count;
  if (share < 0.45 || share > 0.55) throw new Error(`A report of ${share} of ${count} payments.`);
}
