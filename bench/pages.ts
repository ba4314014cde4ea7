import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PaymentsClient } from "../src/client/client.ts";
import type { ListPaymentsQuery } from "../src/contract/list-payments.ts";
import { parseCreated } from "../src/service/database/ids.ts";
import { type Figure, median } from "./figure.ts";
import { seed } from "./seed.ts";
import { startPayments, stop } from "./service-process.ts";

const stored = 1_000_000;
const rounds = 300;
const limit = 100;

/** The first page against the one in the middle and the last, with and without filters. */
export async function measurePages(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "payments-bench-"));
  const database = `sqlite:${join(folder, "payments.db")}`;
  const ids = await seed(database, stored);
  const service = await startPayments(database);
  const { payments, close } = clientFor(service.url, service.key);

  const filters: Record<string, ListPaymentsQuery> = {
    "no filter": {},
    "status=failed": { status: "failed" },
    "created range": {
      "created[gte]": parseCreated(ids[0] ?? ""),
      "created[lt]": parseCreated(ids.at(-1) ?? "") + 1,
    },
  };
  const positions: Record<string, ListPaymentsQuery> = {
    first: {},
    middle: { starting_after: ids[stored / 2] },
    // One payment in ten is failed: a full page of them needs a thousand payments below the cursor.
    last: { starting_after: ids[limit * 10] },
    "last, backward": { ending_before: ids[stored - limit * 10 - 1] },
  };

  const figures: Figure[] = [];
  for (const [filtered, filter] of Object.entries(filters)) {
    const timesMs: Record<string, number[]> = {};
    for (let round = 0; round < rounds; round++) {
      for (const [position, at] of Object.entries(positions)) {
        const startMs = performance.now();
        const { data } = await payments.list({ limit, ...filter, ...at });
        (timesMs[position] ??= []).push(performance.now() - startMs);
        if (data.length !== limit) throw new Error(`A page of ${data.length} at ${position}.`);
      }
    }
    const firstMs = median(timesMs["first"] ?? []);
    for (const position of ["middle", "last", "last, backward"]) {
      const thisMs = median(timesMs[position] ?? []);
      figures.push({
        what: `${position} page of ${stored} payments, ${filtered}`,
        ours: `${thisMs.toFixed(2)} ms`,
        compared: `first page ${firstMs.toFixed(2)} ms`,
        ratio: thisMs / firstMs,
        floor: "≤ 1.3",
      });
    }
  }
  await close();
  await stop(service);
  rmSync(folder, { recursive: true });
  return figures;
}

function clientFor(baseUrl: string, apiKey: string) {
  const client = new PaymentsClient({ baseUrl, apiKey });
  return { payments: client.payments, close: async () => client.close() };
}
